// What the scripts say: one line a step on stderr, progress in place on a terminal, at most a line each 10 % elsewhere.
// A SetUpError is a failure that the reader can mend: it is printed without a stack.

/** A failure with words for the reader: what failed, where, and what to do next. */
export class SetUpError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'SetUpError';
  }
}

/** Writes one line on stderr. */
export function say(step, text) {
  process.stderr.write(`set-up  ${step.padEnd(10)} ${text}\n`);
}

/** Seconds since `startedAt`, for people: `0.4 s`, `12 s`. */
export function secondsSince(startedAt, now = Date.now()) {
  const seconds = (now - startedAt) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/** Bytes as whole megabytes. */
export function megabytes(sizeBytes) {
  return `${Math.round(sizeBytes / 1e6)} MB`;
}

/**
 * Progress of one step. `update` takes a share from 0 to 1 (or undefined when the total is unknown) and a text.
 * On a terminal the line is rewritten in place; elsewhere a line is written when another tenth is done.
 */
export function createProgress(step, stream = process.stderr) {
  let tenth = 0;
  let shown = '';
  return {
    update(share, text) {
      const percent = share === undefined ? '' : `${String(Math.min(100, Math.floor(share * 100))).padStart(3)} %  `;
      const line = `set-up  ${step.padEnd(10)} ${percent}${text}`;
      if (stream.isTTY) {
        if (line !== shown) stream.write(`\r\u001b[2K${line.slice(0, (stream.columns ?? 80) - 1)}`);
        shown = line;
        return;
      }
      const reached = Math.min(10, Math.floor((share ?? 0) * 10));
      if (reached <= tenth) return;
      tenth = reached;
      stream.write(`${line}\n`);
    },
    end() {
      if (stream.isTTY && shown) stream.write('\r\u001b[2K');
    },
  };
}

/** A failure in words: its own, those of a file that the system refuses, else the stack. */
function describeFailure(error) {
  if (error instanceof SetUpError) return error.message;
  if (typeof error?.syscall === 'string' && typeof error.path === 'string') {
    return `the system refuses ${error.syscall} of ${error.path} (${error.code}). Next: see that this user may write there and that the disk has room.`;
  }
  return error?.stack ?? String(error);
}

/** Prints a failure (without a stack when it has words for the reader); gives `{ code: 1 }`. */
export function printFailure(error) {
  const text = describeFailure(error);
  process.stderr.write(`\nfailed: ${text}\n`);
  return { code: 1 };
}

/** Runs a script's main function; the process ends with the code that it gives, or 1 when it fails. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.exitCode = printFailure(error).code;
  }
}
