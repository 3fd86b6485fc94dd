import { Terminal } from '@xterm/xterm';
import { describe, expect, it } from 'vitest';
import { guardTerminal } from './terminal-guard.ts';

const esc = '\u001b';

function setUp() {
  const terminal = new Terminal({ cols: 40, rows: 5, scrollback: 100, allowProposedApi: true });
  guardTerminal(terminal);
  const titles: string[] = [];
  const answers: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  terminal.onData((data) => answers.push(data));
  return {
    terminal,
    titles,
    answers,
    write: (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve)),
    line: (index: number) => terminal.buffer.active.getLine(index)?.translateToString(true),
  };
}

describe('terminal guard', () => {
  it('lets no output set the title, make links or write the clipboard', async () => {
    const { write, titles, line, answers } = setUp();
    await write(
      `${esc}]0;title\u0007${esc}]2;title${esc}\\${esc}]52;c;RVZJTA==\u0007${esc}]8;;https://x\u0007link${esc}]8;;\u0007`,
    );
    expect([titles, answers, line(0)]).toEqual([[], [], 'link']);
  });

  it('keeps colours and cursor movement', async () => {
    const { write, line, terminal } = setUp();
    await write(`${esc}[31mred${esc}[0m\r${esc}[2Cx`);
    expect(line(0)).toBe('rex');
    expect(terminal.buffer.active.getLine(0)?.getCell(0)?.getFgColor()).toBe(1);
  });

  it('refuses mouse, alternate screen and every other private mode', async () => {
    const { write, terminal } = setUp();
    await write(`${esc}[?1000h${esc}[?1049h${esc}[?2004h${esc}[?25;1002h`);
    expect(terminal.buffer.active.type).toBe('normal');
    expect([terminal.modes.mouseTrackingMode, terminal.modes.bracketedPasteMode]).toEqual(['none', false]);
  });

  it('refuses to erase what has scrolled away', async () => {
    const { write, terminal, line } = setUp();
    await write(`${'line\r\n'.repeat(30)}${esc}[3J${esc}[?3J${esc}c`);
    expect(terminal.buffer.active.length).toBe(31);
    expect(line(0)).toBe('line');
  });

  it('survives a repeat count that would fill the memory', async () => {
    const { write, line } = setUp();
    await write(`x${esc}[2147483647by${esc}[3bz`);
    expect(line(0)).toBe('xyyyyz');
  });

  it.each(['S', 'T', 'L', 'M', '@', 'P', 'X', 'I', 'Z', ' @', ' A', "'}", "'~"])(
    'is not held up by a count of a hundred million before %j',
    async (final) => {
      const { write, line } = setUp();
      // Each takes minutes when it is done one by one; the test runner's limit is 20 s.
      for (let round = 0; round < 20; round++) await write(`${esc}[99999999${final}`);
      await write(`${esc}[5;1Hend`);
      expect(line(4)).toBe('end');
    },
  );
});
