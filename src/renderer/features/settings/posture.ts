/** How well this installation protects what it holds, part by part, and what to do where it is weak. Pure. */
import {
  type Judged,
  judgeEngine,
  judgeServer,
  judgeTransport,
  notJudged,
  judgedOk as ok,
  judgedWeak as weak,
} from '../../../shared/base/posture.ts';
import type { AppStatus } from '../../../shared/contract/app-status-contract.ts';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { currentContext, storeFault } from '../../ui/connection-words.ts';
import { asksPassphrase, keychainName } from '../../ui/keychain-words.ts';

export interface PosturePart extends Judged {
  readonly id: 'keychain' | 'sandbox' | 'engine' | 'server' | 'transport' | 'runtime' | 'program';
  readonly label: string;
}

export interface PostureSources {
  readonly app: AppStatus;
  readonly keyStore: KeyStoreState;
  readonly connections: ConnectionsState;
  /** The setting `natsUrl`, which stands above the context's own address. */
  readonly natsUrl: string | null;
}

function keychainPart({ keyStore }: PostureSources): Judged {
  const { keychain } = keyStore;
  if (!asksPassphrase(keyStore)) return ok(`${keychainName(keychain)} holds the key of the key store`);
  const why = keychain.isReal
    ? 'the key store asks for its passphrase'
    : `no real keychain (${keychain.name}): a passphrase protects the key store`;
  if (keychain.isReal) return ok(why);
  return weak(
    why,
    'A long passphrase is as good. For a start without it, run a keychain service (GNOME Keyring, KWallet), and begin the app anew.',
  );
}

function sandboxPart({ app }: PostureSources): Judged {
  if (app.isSandboxed) return ok('windows run in Chromium’s sandbox');
  return weak(
    'windows run without Chromium’s sandbox: a development start',
    'Start the app without --no-sandbox, and not as root.',
  );
}

function enginePart({ connections }: PostureSources): Judged {
  const context = currentContext(connections);
  if (context === undefined) return notJudged('the connection in use is not in the settings');
  const fault = storeFault(connections);
  if (fault !== undefined)
    return weak(`nothing is stored: ${fault}`, 'What is there is read only until that is mended.');
  if (connections.problem !== null && context.kind === 'embedded') {
    return weak('embedded, in memory: its store does not open', connections.problem.message);
  }
  return judgeEngine(context.kind);
}

const serverPart = ({ connections }: PostureSources): Judged =>
  judgeServer({ ...connections, kind: currentContext(connections)?.kind });

function transportPart({ connections, natsUrl }: PostureSources): Judged {
  const context = currentContext(connections);
  return judgeTransport(natsUrl === null ? context?.kind : 'remote', natsUrl ?? context?.url ?? null);
}

function runtimePart({ app }: PostureSources): Judged {
  const words = `Electron ${app.electron} · Chromium ${app.chromium} · Node ${app.node}`;
  if (app.electron === app.shippedElectron) return ok(words);
  return weak(
    `${words}; released with Electron ${app.shippedElectron}`,
    'A stand-in for development and tests: it lacks what was mended since. Install a release.',
  );
}

const programAdvice = 'Other programs of this account could run code in it. Install a release.';

/** What is wrong with how the program was hardened; undefined: nothing, or it is not known. */
function programFault(hardening: AppStatus['hardening']): string | undefined {
  if (hardening === null) return undefined;
  if (hardening.wrongFuses === null) return 'its runtime has no fuses';
  if (hardening.wrongFuses.length === 0) return undefined;
  return `not hardened as a release is: ${hardening.wrongFuses.join(', ')}`;
}

/** The warning that stands while the program is not as a release is; undefined: there is nothing to warn of. */
export function programWarning(hardening: AppStatus['hardening']): string | undefined {
  const fault = programFault(hardening);
  return fault === undefined ? undefined : `This program is open to others: ${fault}. ${programAdvice}`;
}

/** What a program says of itself proves nothing against who changed it: it tells of a build that went wrong. */
function programPart({ app: { hardening } }: PostureSources): Judged {
  if (hardening === null) return notJudged('a development start, or not read yet: its runtime is open for tools');
  const fault = programFault(hardening);
  if (fault !== undefined) return weak(fault, programAdvice);
  const archive = hardening.isArchiveChecked
    ? 'its archive is checked before it runs'
    : 'this system does not check its archive';
  return ok(`every fuse of its runtime is as a release has it; ${archive}`);
}

const parts = [
  ['keychain', 'Key store', keychainPart],
  ['sandbox', 'Sandbox', sandboxPart],
  ['engine', 'Engine', enginePart],
  ['server', 'Server', serverPart],
  ['transport', 'Transport', transportPart],
  ['runtime', 'Runtime', runtimePart],
  ['program', 'Program', programPart],
] as const;

/** All parts, in the order of reading. */
export function postureOf(sources: PostureSources): readonly PosturePart[] {
  return parts.map(([id, label, judge]) => ({ id, label, ...judge(sources) }));
}

/** The whole in a line. */
export function postureLine(posture: readonly PosturePart[]): string {
  const weakParts = posture.filter(({ tone }) => tone === 'weak').map(({ label }) => label.toLowerCase());
  if (weakParts.length === 0)
    return 'Protected: key store, sandbox, engine, transport, runtime and program are as they should be.';
  const last = weakParts.pop();
  const list = weakParts.length === 0 ? last : `${weakParts.join(', ')} and ${last}`;
  return `Protected, but weaker than it could be: ${list}.`;
}
