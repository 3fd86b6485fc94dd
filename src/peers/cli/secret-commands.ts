/** `vak secret ls|add|open-only|activate|revoke`: the workspace's secrets by id, never their bytes (protocol.md E7). */
import type { StoredWorkspaceSecret } from '../../engine/identity/key-store.ts';
import { updateAndErase } from '../../engine/identity/operator-identity.ts';
import { createSecret, type Secret } from '../../engine/identity/secret.ts';
import { addWorkspaceSecret, checkNewSecretId, setSecretState } from '../../engine/identity/workspace-secrets.ts';
import { environmentSecretId } from '../../engine/settings/secret-sources.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { CliHost, Command, CommandInput } from './command.ts';
import { secretNeed } from './example-needs.ts';
import { readUntil } from './grant-input.ts';
import { readSecretInput } from './secret-input.ts';
import { sealedWords } from './secret-reach.ts';
import { type OpenWorkspace, withWorkspace } from './workspace.ts';

const printed = 'Prints {id, state: active|open-only|ended|revoked, opensUntil, seals}';

function secretsOf(open: OpenWorkspace): readonly StoredWorkspaceSecret[] {
  return open.contents().workspaces.find(({ workspace }) => workspace === open.workspace)?.secrets ?? [];
}

function show(secret: StoredWorkspaceSecret, open: OpenWorkspace, { clock, output }: CliHost): void {
  const { id, openOnlyUntilMs } = secret;
  const seals = secretsOf(open).findLast(({ state }) => state === 'active')?.id === id;
  const isOver = secret.state === 'open-only' && openOnlyUntilMs !== null && openOnlyUntilMs <= clock.now();
  const state = isOver ? 'ended' : secret.state;
  const opensUntil = openOnlyUntilMs === null ? null : new Date(openOnlyUntilMs).toISOString();
  const until = opensUntil === null ? '' : `  until ${opensUntil}`;
  output.data({ id, state, opensUntil, seals }, `${id}  ${state}${until}${seals ? '  seals' : ''}`);
}

function showOne(id: string, open: OpenWorkspace, host: CliHost): void {
  const found = secretsOf(open).find((one) => one.id === id);
  if (found !== undefined) show(found, open, host);
}

/** The id of a secret that is the profile's own. Throws `invalid-subject`, `invalid-input`. */
function readId(text: string | undefined, what: string): string {
  const id = checkToken(text, what);
  if (id !== environmentSecretId) return id;
  throw new VakError('invalid-input', `${what}: ${id} is the one of the environment; change it there`);
}

const ls: Command = {
  words: ['secret', 'ls'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Lists the secrets of the workspace by id, never their bytes.',
  notes: `${printed}, one a line, oldest first. The newest
active one seals what is sent; the others open what they have sealed.`,
  example: 'vak secret ls --json',
  async run({ common }, host) {
    await withWorkspace(common, host, (open) => {
      for (const secret of secretsOf(open)) show(secret, open, host);
    });
    return undefined;
  },
};

/** Adds a given secret, or a random one. */
async function addTo(
  open: OpenWorkspace,
  { id: wanted, given }: { readonly id: string | undefined; readonly given: Secret | undefined },
  { randomness }: CliHost,
): Promise<string> {
  let id = '';
  await updateAndErase(open.profile.keyStore, (contents) => {
    const added = addWorkspaceSecret(contents, {
      ...{ workspace: open.workspace, randomness },
      ...(wanted === undefined ? {} : { id: wanted }),
      // The change may be made again over newer contents, and what it added is erased after.
      ...(given === undefined ? {} : { given: createSecret(given.reveal().slice()) }),
    });
    id = added.id;
    return added.contents;
  });
  return id;
}

const add: Command = {
  words: ['secret', 'add'],
  changes: 'machine',
  args: ['[ID]'],
  options: {
    random: { help: 'makes 32 random bytes instead of reading the secret' },
    file: { value: 'FILE', help: 'file with the secret, mode 0600, instead of stdin' },
  },
  summary: 'Adds a secret to the workspace; it seals what is sent from then on.',
  notes: `ID is named by key ids and never used again (default: the next free one). The secret (16 bytes at least) is read from --file, a
pipe, or the terminal, never from an argument; every profile that is to open what it seals adds it under the same id. Those before
stay. An app that is open takes it up within 2 s, and its workers with it; vak worker and vak dlq-supervisor do at their next start. ${printed}.`,
  needs: secretNeed,
  example: 'vak secret add --random\nvak secret add team-2 --file ~/secret',
  async run({ args, common, option, isOn }, host) {
    const id = args[0] === undefined ? undefined : readId(args[0], 'ID');
    const file = option('file');
    if (isOn('random') && file !== undefined) throw new VakError('invalid-input', '--random, --file: give one of them');
    await withWorkspace(common, host, async (open) => {
      const { workspace } = open;
      if (id !== undefined) checkNewSecretId(open.contents(), { workspace, id });
      const given = isOn('random') ? undefined : await readSecretInput('workspace secret', file, host);
      try {
        showOne(await addTo(open, { id, given }, host), open, host);
      } finally {
        given?.dispose();
      }
    });
    return undefined;
  },
};

/** What a command makes of the secret that it names. */
type Change = (input: CommandInput, host: CliHost) => Omit<Parameters<typeof setSecretState>[1], 'workspace' | 'id'>;

async function changeSecret(input: CommandInput, host: CliHost, change: Change): Promise<undefined> {
  const id = readId(input.args[0], 'ID');
  const made = change(input, host);
  await withWorkspace(input.common, host, async (open) => {
    const { workspace } = open;
    await open.profile.keyStore.update((contents) => setSecretState(contents, { workspace, id, ...made }));
    showOne(id, open, host);
  });
  return undefined;
}

const openOnly: Command = {
  words: ['secret', 'open-only'],
  changes: 'machine',
  args: ['ID'],
  options: { until: { value: 'ISO', help: 'from then on it opens nothing any more (default: it opens for good)' } },
  summary: 'Lets a secret open what it has sealed, and seal nothing more.',
  notes: `Where no other secret is active nothing can be sealed until one is added. ${printed}.`,
  needs: 'the secret s2 (vak secret add)',
  example: 'vak secret open-only s2 --until 2099-12-31',
  run: (input, host) =>
    changeSecret(input, host, ({ option }, { clock }) => {
      const until = readUntil(option('until')) * 1000;
      if (until !== 0 && until <= clock.now()) {
        throw new VakError('invalid-input', '--until: is past; give a time to come, or revoke the secret');
      }
      return { state: 'open-only', openOnlyUntilMs: until === 0 ? null : until };
    }),
};

const activate: Command = {
  words: ['secret', 'activate'],
  changes: 'machine',
  args: ['ID'],
  options: {},
  summary: 'Lets a secret that only opens seal again.',
  notes: `The newest active one seals. One that was revoked stays revoked. ${printed}.`,
  needs: 'the secret s2 (vak secret add)',
  example: 'vak secret activate s2',
  run: (input, host) => changeSecret(input, host, () => ({ state: 'active' })),
};

const revoke: Command = {
  words: ['secret', 'revoke'],
  changes: 'machine',
  args: ['ID'],
  options: { confirm: { value: 'ID', help: 'the same id once more: it cannot be undone' } },
  summary: 'Takes a secret out of use for good: what it sealed does not open any more.',
  notes: `Tasks that wait under it are refused, and receipts and what is on record under it are not read any more: also who archived what. Dead
letters that it sealed stay in vak dlq ls, as sealed: they can be archived and exported, and neither read nor retried. Without --confirm
it says so, and how many letters and waiting tasks of it lie at the server that is named. Its id is never used again. ${printed}.`,
  needs: 'the secret s2 (vak secret add)',
  example: 'vak secret revoke s2 --confirm s2',
  async run(input, host) {
    const id = readId(input.args[0], 'ID');
    if (input.option('confirm') === id) return await changeSecret(input, host, () => ({ state: 'revoked' }));
    const closed = (await sealedWords(id, input.common, host)) ?? 'with --nats-url or --context it is counted there';
    const message = `secret revoke: nothing that ${id} sealed would open any more, for good (${closed}): dead letters of it stay listed without queue, reason and task (see vak dlq ls first); say so with --confirm ${id}`;
    throw new VakError('invalid-input', message);
  },
};

export const secretCommands: readonly Command[] = [ls, add, openOnly, activate, revoke];
