/** Turns anything that was thrown into what a person needs: what failed, why, what to do next (look.md "Manners"). */
import { type ErrorCode, VakError } from '../../shared/base/vak-error.ts';

export interface ErrorReport {
  /** What was being done, as on its button: "Start the local swarm". */
  readonly doing: string;
  readonly why: string;
  readonly next: string;
  /** Everything that may be shown, as text to copy. */
  readonly details: string;
}

const nextSteps: Readonly<Record<ErrorCode, string>> = {
  aborted: 'It was cancelled; start it again if that was not meant.',
  'already-running': 'Stop it first, or use what runs.',
  closed: 'The part that answers has stopped; reload the window to connect again.',
  conflict: 'It was changed elsewhere meanwhile; look at what is there now and try again.',
  corrupt: 'Restore a backup, or correct the file that is named; nothing in it was changed.',
  disconnected: 'Check that the server runs and can be reached from here, then try again.',
  'disk-full': 'Make room on the disk that is named and try again.',
  exists: 'Use what is there already, or choose another name.',
  forbidden: 'This peer may not do it; ask who grants access.',
  'invalid-input': 'Correct the value that is named and try again.',
  'invalid-pattern': 'Correct the subject pattern and try again.',
  'invalid-payload': 'Correct the payload and try again.',
  'invalid-subject': 'Correct the subject and try again.',
  'limit-exceeded': 'Give or ask for less: what is too much is named.',
  locked: 'Unlock the key store and try again.',
  'no-responders': 'Nobody listens there; check that its peer runs.',
  'no-such-peer': 'Check the name of the peer; it may not have joined yet.',
  'not-found': 'It is gone or has left the buffer; look at what is there now.',
  'read-only': 'Use a connection that is not read-only, or change this one in Settings, Connections.',
  'recovery-needed': 'Open it with the passphrase, restore a backup, or start anew.',
  'secret-misplaced': 'Set it as a secret instead: those go into the key store.',
  'self-test-failed': 'Nothing is opened until it passes; install the app again or use another machine.',
  'spawn-failed': 'Check that the program and its folder exist and may be used.',
  'tls-required': 'Give the server as tls:// in Settings, Connections; nothing was sent in the clear.',
  timeout: 'It may still arrive; look before trying again.',
  unauthorized:
    'Import the right credentials for this connection in Settings, Connections, or ask who runs the server.',
  'unknown-method': 'Window and engine differ in version; restart the app.',
  unsupported: 'This environment cannot do it.',
  'wrong-passphrase': 'Try again; the right one still works.',
  internal: 'This is a defect in the app. Copy the details into a report; the log has the rest under the same id.',
};

function detailsOf(doing: string, error: unknown): string {
  const lines = [`doing: ${doing}`, `at: ${new Date().toISOString()}`];
  if (error instanceof VakError) {
    lines.push(`code: ${error.code}`, `message: ${error.message}`, `retryable: ${error.retryable}`);
    for (const [name, value] of Object.entries(error.details ?? {})) lines.push(`${name}: ${value}`);
  } else if (error instanceof Error) {
    lines.push(`message: ${error.message}`, error.stack ?? '');
  } else {
    lines.push(`thrown: ${String(error)}`);
  }
  return lines.join('\n');
}

/** A file that the system refuses names its own way out in the message; that is no matter of access in the workspace. */
function nextStepOf({ code, details }: VakError): string {
  const isSystems = code === 'forbidden' && details?.['systemCode'] !== undefined;
  return isSystems ? 'Put right what is named, or choose another place, and try again.' : nextSteps[code];
}

export function describeError(doing: string, error: unknown): ErrorReport {
  const message = error instanceof Error ? error.message : String(error);
  return {
    doing,
    why: message === '' ? 'No reason was given.' : message,
    next:
      error instanceof VakError ? nextStepOf(error) : 'This is a defect in the app. Copy the details into a report.',
    details: detailsOf(doing, error),
  };
}
