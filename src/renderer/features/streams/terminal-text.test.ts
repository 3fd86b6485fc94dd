import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBase64 } from '../../../shared/base/bytes.ts';
import { terminalSafe } from '../../ui/visible-text.ts';
import { readStatus, readTelemetry, readTerminal, type TerminalChunk } from './session-payloads.ts';
import { createTerminalText } from './terminal-text.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const chunk = (offset: number, text: string, stream: TerminalChunk['stream'] = 'stdout'): TerminalChunk => ({
  stream,
  offset,
  bytes: encode(text),
});

describe('terminal text', () => {
  it('writes both streams as they come', () => {
    const terminal = createTerminalText();
    expect(terminal.take(chunk(0, 'out '))).toBe('out ');
    expect(terminal.take(chunk(0, 'err ', 'stderr'))).toBe('err ');
    expect(terminal.take(chunk(4, 'more'))).toBe('more');
    expect(terminal.missingBytes).toBe(0);
  });

  it('names the bytes that are missing, at the beginning too, and ends a cut escape sequence', () => {
    const terminal = createTerminalText();
    const first = terminal.take(chunk(48_213, 'x'));
    expect(first).toContain(
      '— 48\u202f213 bytes not shown: they left the buffer, or passed while the connection was lost —',
    );
    expect(first.startsWith('\u0018')).toBe(true);
    expect(terminal.take(chunk(48_214, 'y'))).toBe('y');
    expect(terminal.take(chunk(48_225, 'z'))).toContain('— 10 bytes');
    expect(terminal.missingBytes).toBe(48_223);
  });

  it('shows bidi controls as signs', () => {
    expect(createTerminalText().take(chunk(0, 'a\u202Eb\u001b[1m'))).toBe('a‹U+202E›b\u001b[1m');
  });

  it('gives a character at most 16 marks, so that a million of them cannot fill one cell', () => {
    expect(terminalSafe(`a${'\u0301'.repeat(1_000_000)}b`)).toBe(`a${'\u0301'.repeat(16)}b`);
    expect(terminalSafe('e\u0301\u0302x')).toBe('e\u0301\u0302x');
  });

  it('shows bytes that come twice once', () => {
    const terminal = createTerminalText();
    terminal.take(chunk(0, 'abc'));
    expect(terminal.take(chunk(1, 'bcde'))).toBe('de');
    expect(terminal.take(chunk(0, 'ab'))).toBe('');
    expect(terminal.take(chunk(5, 'f'))).toBe('f');
  });

  it('puts characters together that were cut, even when the other stream comes between', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, at) => {
        const bytes = encode(text);
        const cut = bytes.length === 0 ? 0 : at % bytes.length;
        const terminal = createTerminalText();
        const head = terminal.take({ stream: 'stdout', offset: 0, bytes: bytes.subarray(0, cut) });
        terminal.take(chunk(0, 'é', 'stderr'));
        const tail = terminal.take({ stream: 'stdout', offset: cut, bytes: bytes.subarray(cut) });
        // A leading BOM is a mark, not text.
        expect(head + tail).toBe(terminalSafe(text.replace(/^\uFEFF/, '')));
      }),
    );
  });
});

describe('session payloads', () => {
  it('reads what fits', () => {
    const bytes = toBase64(encode('hi'));
    expect(readTerminal(JSON.stringify({ stream: 'stderr', offset: 3, bytes }))).toEqual(chunk(3, 'hi', 'stderr'));
    expect(readTelemetry('{"pid":1,"processes":2,"rssBytes":3,"cpuPercent":4.5}')).toEqual({
      rssBytes: 3,
      cpuPercent: 4.5,
    });
    expect(readStatus('{"state":"failed","taskId":"t","detail":{"exitCode":3,"reason":"r"}}')).toEqual({
      state: 'failed',
      taskId: 't',
      exitCode: 3,
      signal: undefined,
      reason: 'r',
    });
  });

  it('refuses what does not fit, without throwing', () => {
    for (const payload of [
      '',
      'null',
      '[]',
      '{"stream":"stdin","offset":0,"bytes":""}',
      '{"stream":"stdout","offset":-1,"bytes":""}',
      '{"stream":"stdout","offset":0,"bytes":"?"}',
      '{"state":1}',
      '{"rssBytes":"1","cpuPercent":1}',
    ]) {
      expect([readTerminal(payload), readTelemetry(payload), readStatus(payload)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
    expect(readStatus('{"state":"done","detail":null}')).toMatchObject({ state: 'done', exitCode: undefined });
    fc.assert(
      fc.property(fc.json(), (payload) => {
        readTerminal(payload);
        readTelemetry(payload);
        readStatus(payload);
      }),
    );
  });
});
