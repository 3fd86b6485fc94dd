/**
 * The file system's refusals as errors of ours.
 * Law: told by their code, never by their text; the path is named, no content.
 */
import { type ErrorCode, VakError } from '../../shared/base/vak-error.ts';

/** Full, too large, too many open: it may go better later. */
const shortages = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY']);
/** Of these there is no room on the disk. */
const fullDisks = new Set(['ENOSPC', 'EDQUOT']);

/** What to do about it, by the system's code. */
const advice: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free space on it, then try again',
  EDQUOT: "this user's share of the disk is used up: free space, then try again",
  EFBIG: 'it is larger than this user may write: raise the limit (ulimit -f)',
  EMFILE: 'too many files are open: raise the limit (ulimit -n), then try again',
  ENFILE: 'too many files are open on this machine: end other programs, then try again',
  ENOMEM: 'memory is short: end other programs, then try again',
  EAGAIN: 'the system is busy: try again',
  EBUSY: 'something else uses it: end that, then try again',
  EACCES: 'this user may not: see who owns it and its mode, or use another folder',
  EPERM: 'this user may not: see who owns it and its mode, or use another folder',
  EROFS: 'its file system is read-only: use another folder',
  ENOTDIR: 'a part of the path is no folder: check the path',
  ENOENT: 'a part of the path is not there: check the path',
  EISDIR: 'a folder lies there: move it away',
  ELOOP: 'a link lies there that leads nowhere: take it away',
  EIO: 'the disk reports a fault: check it',
};

/** The system's code of an error (`ENOENT`, `EACCES` …); undefined for anything else that was thrown. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/**
 * Translates: `disk-full`, `limit-exceeded` for another shortage, `forbidden` for the rest, each with what to do; `details.systemCode` is
 * the system's. What is no error of the system comes back as it is.
 */
export function fileError(action: string, path: string, error: unknown): unknown {
  const systems = systemCode(error);
  if (systems === undefined) return error;
  const isShortage = shortages.has(systems);
  const code: ErrorCode = fullDisks.has(systems) ? 'disk-full' : isShortage ? 'limit-exceeded' : 'forbidden';
  const message = `cannot ${action} ${path} (${systems}): ${advice[systems] ?? 'check the path and its file system'}`;
  return new VakError(code, message, { retryable: isShortage, details: { path, systemCode: systems } });
}
