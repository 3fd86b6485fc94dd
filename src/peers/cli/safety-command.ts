/** `vak safety`: the number that two people compare, so that nobody stands between them (protocol.md I2). */
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import { cardOf } from '../../engine/identity/operator-identity.ts';
import type { PinnedPeer } from '../../engine/identity/pins.ts';
import { whyBlocked } from '../../engine/identity/recipient-check.ts';
import { safetyNumber } from '../../engine/identity/safety-number.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { compareSafety, safetyGroups, safetyText } from '../../shared/protocol/safety-text.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { seeCard } from './card-file.ts';
import { type CliHost, type Command, type CommandInput, type ExitCode, exitCodes } from './command.ts';
import { chosenIdentity, type OpenWorkspace, withWorkspace } from './workspace.ts';

function pinOf(peer: string, { pins, workspace }: OpenWorkspace): PinnedPeer {
  const pin = pins.find({ ws: workspace, peer });
  if (pin !== undefined) return pin;
  throw new VakError(
    'not-found',
    `${peer}: no card of it was seen here; give --card FILE, what vak id card printed there`,
  );
}

const stateOf = ({ offered, blockedMs, verifiedMs }: PinnedPeer): string =>
  blockedMs !== null ? 'blocked' : offered !== null ? 'changed' : verifiedMs !== null ? 'verified' : 'pinned';

/** What of this profile and that peer is compared; of a peer whose key changed, with the new one. */
function reportOf(peer: string, identity: StoredIdentity, open: OpenWorkspace) {
  const pin = pinOf(peer, open);
  const own = { peer: identity.peer, sign: cardOf(identity, open.workspace).sign };
  const other = { peer, sign: (pin.offered?.card ?? pin.card).sign };
  const pair = { ws: open.workspace, peers: [own, other] as const };
  return { pin, pair, number: safetyNumber(own, other), text: safetyText(pair) };
}

type Report = ReturnType<typeof reportOf>;

/** Compares what was read, and marks what is the same. */
async function compare(
  read: string,
  report: Report,
  { input, open }: { readonly input: CommandInput; readonly open: OpenWorkspace },
): Promise<ExitCode> {
  const { pin, pair, number } = report;
  const verdict = compareSafety(read, { pair, number });
  if (verdict.kind === 'unreadable') throw new VakError('invalid-input', `--compare: ${verdict.why}`);
  if (verdict.kind === 'different') return exitCodes.no;
  const { peer, sign } = pair.peers[1];
  const owner = { ws: open.workspace, peer };
  if (pin.offered !== null) {
    if (!input.isOn('accept')) return exitCodes.done;
    await open.pins.accept(owner, sign);
  }
  await open.pins.setVerified({ ...owner, sign }, true);
  return exitCodes.done;
}

function show(
  report: Report,
  verdict: string | undefined,
  { open, host }: { readonly open: OpenWorkspace; readonly host: CliHost },
): void {
  const { number, text, pair } = report;
  const { peer } = pair.peers[1];
  const pin = pinOf(peer, open);
  const state = stateOf(pin);
  const groups = safetyGroups(number);
  const lines = [0, 4, 8].map((from) => groups.slice(from, from + 4).join(' '));
  const keys = pair.peers.map(({ peer: name, sign }) => `${name.padEnd(12)} ${sign}`);
  const said = verdict === undefined ? [] : [verdict];
  host.output.data(
    { peer, state, number, text, peers: pair.peers, ...(verdict === undefined ? {} : { compared: verdict }) },
    [...lines, ...keys, `${peer} is ${state}`, ...said].join('\n'),
  );
  const why = whyBlocked(pin);
  if (why !== undefined) host.output.talk(`vak: nothing is sent to ${peer}: ${visibleText(why)}`);
}

export const safetyCommand: Command = {
  words: ['safety'],
  changes: 'machine',
  args: ['PEER'],
  options: {
    card: { value: 'FILE', help: 'its card (vak id card): pinned at first sight' },
    compare: {
      value: 'TEXT',
      help: 'its digits, or the text of its QR code; the peer is verified if they are the same',
    },
    accept: { help: 'with --compare: accepts its changed key, if it was compared to be the same' },
  },
  summary: 'Prints the safety number with a peer, for both to compare; the app shows the same one.',
  notes: `Prints {peer, state: pinned|verified|changed|blocked, number, text, peers: [{peer, sign}], compared?: same|different}. number has 60 digits;
text is what the QR code holds. Both sides see the same number exactly if both know the same two signing keys. Of a peer whose key has
changed it is the number with the new key; nothing is sent to it until that is accepted. Exit code 1: what was compared differs.`,
  needs: 'bob.card.json is what vak id card printed where bob is',
  example: 'vak safety bob --card bob.card.json\nvak safety bob --compare "$(vak safety bob --json | jq -r .text)"',
  async run(input, host) {
    const peer = checkToken(input.args[0], 'PEER');
    const read = input.option('compare');
    if (read === undefined && input.isOn('accept')) {
      throw new VakError('invalid-input', '--accept: give --compare too: only a key that was compared is accepted');
    }
    return await withWorkspace(input.common, host, async (open) => {
      const contents = open.contents();
      if (contents.identities.some((one) => one.peer === peer)) {
        throw new VakError(
          'invalid-input',
          `PEER: the keys of ${peer} are held in this profile; there is nothing to compare`,
        );
      }
      await seeCard(peer, input.option('card'), open);
      const report = reportOf(peer, chosenIdentity(contents, input.common.identity), open);
      const code = read === undefined ? undefined : await compare(read, report, { input, open });
      const verdict = code === undefined ? undefined : code === exitCodes.done ? 'same' : 'different';
      show(report, verdict, { open, host });
      return code;
    });
  },
};
