/** The exit code that a failure comes to (cli.md). */
import type { ErrorCode, VakError } from '../../shared/base/vak-error.ts';
import { type ExitCode, exitCodes } from './command.ts';

const codeOf: Partial<Record<ErrorCode, ExitCode>> = {
  'invalid-input': exitCodes.badUsage,
  'invalid-pattern': exitCodes.badUsage,
  'invalid-payload': exitCodes.badUsage,
  'invalid-subject': exitCodes.badUsage,
  'limit-exceeded': exitCodes.badUsage,
  'secret-misplaced': exitCodes.badUsage,
  closed: exitCodes.unreachable,
  disconnected: exitCodes.unreachable,
  'no-responders': exitCodes.unreachable,
  timeout: exitCodes.unreachable,
  aborted: exitCodes.interrupted,
};

/** What a failure comes to. What a server, or the system, says of its own limits is its answer, not a fault of the line. */
export function exitCodeOf({ code, details }: VakError): ExitCode {
  const found = codeOf[code] ?? exitCodes.no;
  const isAnswer = details?.['serverCode'] !== undefined || details?.['systemCode'] !== undefined;
  return found === exitCodes.badUsage && isAnswer ? exitCodes.no : found;
}
