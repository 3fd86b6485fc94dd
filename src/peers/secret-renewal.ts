/** A peer that runs for days learns of secrets that were added to its key store, or taken out of use, meanwhile (protocol.md E7). */
import { stat } from 'node:fs/promises';
import type { KeyStoreWayBack } from '../engine/identity/file-key-store.ts';
import { eraseSecrets, type OwnSecrets, type PeerSecrets, secretsFor } from '../engine/identity/peer-secrets.ts';
import { createDisposer, type Disposable } from '../shared/base/disposer.ts';
import { type ErrorCode, isVakError } from '../shared/base/vak-error.ts';
import type { CliHost } from './cli/command.ts';
import type { OpenWorkspace } from './cli/workspace.ts';
import type { EventLog } from './event-log.ts';

export interface SecretRenewal extends Disposable {
  /** A secret is missed: looks soon, and opens the key store only if its file has changed. */
  seek(): void;
}

export interface SecretRenewalDeps {
  readonly open: Pick<OpenWorkspace, 'profile' | 'workspace'>;
  readonly secrets: Pick<OwnSecrets, 'secrets' | 'replace'>;
  /** Opens the key store again if it is locked by then; stays the caller's. */
  readonly wayBack: Pick<KeyStoreWayBack, 'unlock'>;
  readonly host: Pick<CliHost, 'clock' | 'logger'>;
  readonly log: EventLog;
  /** Told after they have changed. */
  readonly onRenewed: () => void;
}

/** Its file is looked at so often, ms. */
const everyMs = 5_000;

/** Which state of the file it is; undefined: it is not there. */
async function markOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

interface Named {
  readonly id: string;
  readonly state: string;
  readonly openOnlyUntilMs: number | null;
}

/** What is to be done where the key store that changed cannot be read. */
function adviceFor(code: ErrorCode): string {
  if (code === 'not-found' || code === 'corrupt') return 'put it right (vak id restore), and start this anew';
  if (code === 'locked') return 'another key store has taken its place: start this anew to open it';
  return 'let VAK_PASSPHRASE_FILE name its passphrase, and start this anew';
}

/** An id selects one secret for ever (E7): whatever has changed shows in the names. */
const namesOf = (all: readonly Named[]): string =>
  all
    .map(({ id, state, openOnlyUntilMs }) => `${id} ${state} ${openOnlyUntilMs}`)
    .sort()
    .join('\n');

/** Takes what was given; whether they are others. */
function renew(own: Pick<OwnSecrets, 'secrets' | 'replace'>, given: PeerSecrets): boolean {
  const isSame = namesOf(own.secrets()) === namesOf([...given.secrets, ...given.ended]);
  if (isSame) eraseSecrets(given);
  else own.replace(given);
  return !isSame;
}

/** Begins to look; what the file is now is taken for known. */
export async function followSecrets(deps: SecretRenewalDeps): Promise<SecretRenewal> {
  const { open, secrets, wayBack, host, log, onRenewed } = deps;
  const { keyStore, files } = open.profile;
  const held = createDisposer();
  let mark = await markOf(files.keyStore);
  let isLooking = false;
  let isOver = false;

  async function read(): Promise<void> {
    const wasOpen = keyStore.state().kind === 'unlocked';
    try {
      if (wasOpen) await keyStore.refresh();
      else await wayBack.unlock();
      if (isOver || !renew(secrets, secretsFor(keyStore.read(), open.workspace, host.clock.now()))) return;
      log('secrets', { ids: secrets.secrets().map(({ id }) => id) });
      onRenewed();
    } finally {
      // A process that has the root open is worth attacking.
      if (!wasOpen) keyStore.lock();
    }
  }

  async function look(): Promise<void> {
    const now = await markOf(files.keyStore);
    if (isOver || now === undefined || now === mark) return;
    mark = now;
    try {
      await read();
    } catch (error) {
      if (!isVakError(error)) throw error;
      const { code } = error;
      const message = `the key store has changed and cannot be read here (${code}), so secrets that were added or revoked are not followed; ${adviceFor(code)}`;
      log('trouble', { code, message });
    }
  }

  function seek(): void {
    if (isLooking || isOver) return;
    isLooking = true;
    void look()
      .catch((thrown: unknown) => host.logger.bug('peer.secrets', thrown))
      .finally(() => {
        isLooking = false;
      });
  }

  held.add(host.clock.setTicker(everyMs, seek));
  held.defer(() => {
    isOver = true;
  });
  return { seek, dispose: () => held.dispose() };
}
