/** Lines of envelopes for the commands about chains, from a file or stdin. */
import type { CliHost } from './command.ts';
import { openInputFile } from './input-file.ts';
import { type ByteSource, type InputLine, readLines } from './standard-input.ts';

/** Where the lines come from. */
interface Source {
  readonly stream: ByteSource;
  close(): Promise<void>;
}

/** The file that is named, or stdin. Throws `invalid-input`. */
async function openSource(path: string | undefined, host: CliHost): Promise<Source> {
  if (path === undefined || path === '-') return { stream: host.input(), close: () => Promise.resolve() };
  const handle = await openInputFile(path);
  return { stream: handle.createReadStream({ autoClose: false }), close: () => handle.close() };
}

/** Its lines, until the command is to end. Throws `invalid-input`. */
export async function* openEnvelopeLines(
  path: string | undefined,
  { maxBytes }: { readonly maxBytes: number },
  host: CliHost,
): AsyncGenerator<InputLine> {
  const { stream, close } = await openSource(path, host);
  try {
    yield* readLines(stream, { maxBytes, signal: host.signal });
  } finally {
    await close();
  }
}
