/**
 * The file system's refusals as errors of ours.
 * Law: told by their code, never by their text; the path is named, no content.
 */
import { type ErrorCode, VakError } from '../../shared/base/vak-error.ts';

/** Full, too large, too many open: it may go better later. */
const shortages = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EBUSY']);

/** The system's code of an error (`ENOENT`, `EACCES` …); undefined for anything else that was thrown. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Translates: `limit-exceeded` for a shortage, `forbidden` for the rest. What is no error of the system comes back as it is. */
export function fileError(action: string, path: string, error: unknown): unknown {
  const systems = systemCode(error);
  if (systems === undefined) return error;
  const isShortage = shortages.has(systems);
  const code: ErrorCode = isShortage ? 'limit-exceeded' : 'forbidden';
  return new VakError(code, `cannot ${action} ${path} (${systems})`, { retryable: isShortage, details: { path } });
}
