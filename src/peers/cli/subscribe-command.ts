/** `vak subscribe`: what passes on a server, as it comes (protocol.md B2, B8). */
import type { Message } from '../../engine/bus/bus.ts';
import type { Fabric } from '../../engine/bus/fabric.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkPattern } from '../../shared/protocol/subject.ts';
import { withBus } from './bus-connection.ts';
import { withDirectory } from './bus-directory.ts';
import { type CliHost, type Command, type CommandInput, exitCodes } from './command.ts';
import { withEnvelopeWorkspace } from './envelope-workspace.ts';
import { contextNeed, passNeed, serverNeed } from './example-needs.ts';
import { createOutageTalk } from './outage-talk.ts';
import { type Profile, withProfile } from './profile.ts';
import { createEnvelopeLines, createOpenedLines, createRawLines, type SubscribeLines } from './subscribe-lines.ts';
import type { OpenWorkspace } from './workspace.ts';

/** Messages that wait while the output is slow; beyond it the oldest give way. */
const capacity = 16_384;

/** A promise with its ends outside. */
function createEnding() {
  let end = (): void => {};
  let fail = (_: VakError): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  ended.catch(() => {});
  return { ended, end, fail };
}

type Ending = ReturnType<typeof createEnding>;

interface Listening {
  readonly fabric: Fabric;
  readonly pattern: string;
  /** Infinity: for ever. */
  readonly count: number;
  readonly lines: SubscribeLines;
  readonly ending: Ending;
  readonly label: string;
}

/** Prints until the count is reached, nobody reads any more, a signal comes, or the server refuses. */
async function listen({ fabric, pattern, count, lines, ending, label }: Listening, host: CliHost): Promise<void> {
  const { output, signal } = host;
  const held = createDisposer();
  const { ended, end } = ending;
  let printed = 0;

  async function print(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      if (printed >= count || signal.aborted) return;
      for (const line of lines.linesOf(message)) output.print(line);
      printed++;
      if (printed >= count || !(await output.isTaken())) return end();
    }
  }

  const subscription = fabric.bus.subscribe(pattern, { kind: 'drop-oldest', capacity, onBatch: print });
  held.add(subscription);
  held.add(
    fabric.onStatus(
      createOutageTalk(host, {
        lost: 'vak: the connection is lost; it is sought until it is back',
        back: (after) => `vak: the connection is back after ${after}; what was published meanwhile did not come`,
        onClosed: ending.fail,
      }),
    ),
  );
  signal.addEventListener('abort', end, { once: true });
  held.defer(() => signal.removeEventListener('abort', end));
  if (signal.aborted) end();
  try {
    await fabric.ping();
    output.talk(`vak: listening to ${pattern} (${label})`);
    await ended;
  } finally {
    const { droppedCount } = subscription.stats();
    held.dispose();
    if (droppedCount > 0) output.talk(`vak: ${droppedCount} messages were dropped: the output was slower than the bus`);
  }
}

function readCount(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const count = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new VakError('invalid-input', `--count: found ${text.length} characters, allowed: a number from 1`);
}

async function run(
  { common, args: [text = ''], option }: CommandInput,
  {
    profile,
    open,
    lines,
  }: { readonly profile: Profile; readonly open?: OpenWorkspace | undefined; readonly lines: SubscribeLines },
  host: CliHost,
): Promise<void> {
  const pattern = checkPattern(text);
  const count = readCount(option('count'));
  const ending = createEnding();
  // It listens for days, and the key store may hold what it connects with and checks signatures by.
  profile.keyStore.setIdleLockMinutes(0);
  try {
    await withBus({ common, profile, host, onRefused: ending.fail }, async (fabric, { label }) => {
      await withDirectory({ open, fabric, peer: undefined, isPublishing: false }, host, () =>
        listen({ fabric, pattern, count, lines, ending, label }, host),
      );
    });
  } finally {
    lines.dispose();
  }
}

export const subscribeCommand: Command = {
  words: ['subscribe'],
  changes: 'nothing',
  args: ['PATTERN'],
  options: {
    count: { value: 'N', help: 'ends after so many messages (default: a signal ends it)' },
    raw: { help: 'the bytes of each message as they are, each after a line "SUBJECT SIZE"' },
    open: { help: 'opens payloads, and says what is known of signature, seal and chain' },
  },
  summary: 'Prints what is published on subjects that the pattern matches, from now on.',
  notes: `Prints the envelope as it came, one a line; {subject, base64} for what is none. With --open {subject, envelope, payload,
payload_base64, trust: {signature, seal, chain, refusal?: {reason, why}}}: payload is the opened JSON with its digits
untouched, or null if it is no JSON; of a message that the workspace's policy refuses, or that does not open, both are null.
It lives through outages and says on stderr when the connection is lost and back. Where the output is slower than the bus the
oldest messages give way; how many is said at the end. Exit code 0 after --count or when nobody reads, 4 after a signal, 1 if the
server does not let these credentials listen there.`,
  needs: `${serverNeed}; ${contextNeed}; ${passNeed}; somebody who publishes`,
  example: `vak subscribe 'vak.events.default.>' --nats-url nats://127.0.0.1:4222 | jq .type
VAK_PASSPHRASE_FILE=~/pass vak subscribe 'vak.agent.default.*.inbox' --open --count 10 --context prod`,
  async run(input, host) {
    const { common, isOn } = input;
    if (isOn('raw') && isOn('open')) throw new VakError('invalid-input', '--raw, --open: give one of them');
    checkPattern(input.args[0] ?? '');
    readCount(input.option('count'));
    if (!isOn('open')) {
      const lines = isOn('raw') ? createRawLines() : createEnvelopeLines();
      await withProfile(common, host, (profile) => run(input, { profile, lines }, host));
      return exitCodes.done;
    }
    await withEnvelopeWorkspace({ common, wanted: 'secrets' }, host, async (workspace) => {
      const { profile, open } = workspace;
      const lines = createOpenedLines({ ...workspace, workspace: common.workspace }, host);
      await run(input, { profile, open, lines }, host);
    });
    return exitCodes.done;
  },
};
