import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { type ByteSource, type InputLine, readLines, readOneValue } from './standard-input.ts';

const { signal } = new AbortController();

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield utf8(text);
}

async function linesOf(source: ByteSource, maxBytes = 10): Promise<string[]> {
  const shown: string[] = [];
  const show = (line: InputLine): string => (line.kind === 'line' ? toText(line.bytes) : 'too long');
  for await (const line of readLines(source, { maxBytes, signal })) shown.push(`${line.number} ${show(line)}`);
  return shown;
}

it('E11 lines are numbered as an editor numbers them, blank ones left out, one that is too long is told', async () => {
  expect(await linesOf(chunksOf('a\r\n\n  \nb\n', '01234567890', '1\nc'))).toEqual(['1 a', '4 b', '5 too long', '6 c']);
  expect(await linesOf(chunksOf(''))).toEqual([]);
  expect(await linesOf(chunksOf('0123456789\n01234567890'))).toEqual(['1 0123456789', '2 too long']);
});

it('E11 lines do not depend on how the stream is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.stringMatching(/^[ab \n]{0,15}$/), { maxLength: 8 }), async (texts) => {
      expect(await linesOf(chunksOf(...texts))).toEqual(await linesOf(chunksOf(texts.join(''))));
    }),
    { numRuns: 200 },
  );
});

it('E2 one value: blanks around it are not part of it, brackets in its texts end nothing', async () => {
  const value = '{"a":"}\\"]{","b":[{},[]]}';
  expect(toText(await readOneValue(chunksOf(' \n', value.slice(0, 7), value.slice(7), '\r\n'), signal))).toBe(value);
  expect(toText(await readOneValue(chunksOf('no json'), signal))).toBe('no json');
  expect(toText(await readOneValue(chunksOf('{"a":'), signal))).toBe('{"a":');
});

it.each([
  ['', /is empty/],
  ['{} {}', /something follows/],
  ['{}\n[]', /something follows/],
  ['{}x', /something follows/],
  [`"${'x'.repeat(1024 * 1024 - 1)}"`, /more than 1048576 bytes/],
])('E2 input %# is refused', async (text, why) => {
  await expect(readOneValue(chunksOf(text), signal)).rejects.toThrowError(why);
});

it('E2 a value of exactly 1 MiB is taken, with its line break', async () => {
  const text = `"${'x'.repeat(1024 * 1024 - 2)}"`;
  expect(await readOneValue(chunksOf(text, '\r\n'), signal)).toHaveLength(1024 * 1024);
});

it('E2 input without end is not read on beyond the bound', async () => {
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      given += 65_536;
      yield new Uint8Array(65_536).fill(0x20);
    }
  }
  await expect(readOneValue(endless(), signal)).rejects.toThrowError(/stdin: /);
  expect(given).toBeLessThan(2 * 1024 * 1024);
});

it('E2 a signal ends the waiting', async () => {
  const controller = new AbortController();
  async function* silent(): AsyncGenerator<Uint8Array> {
    yield utf8('{');
    await new Promise(() => {});
  }
  const reading = readOneValue(silent(), controller.signal);
  controller.abort();
  await expect(reading).rejects.toThrowError('interrupted');
  await expect(readOneValue(chunksOf('{}'), controller.signal)).rejects.toThrowError('interrupted');
});
