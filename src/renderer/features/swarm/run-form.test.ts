import { describe, expect, it } from 'vitest';
import { readRunForm } from './run-form.ts';

const empty = { line: '', cwd: '', timeoutSeconds: '' };

describe('run a command', () => {
  it('gives the line to the shell as it was typed', () => {
    const line = `  echo "a b" | tr a-z A-Z && false  `;
    expect(readRunForm({ ...empty, line })).toEqual({ kind: 'ready', task: { command: ['/bin/sh', '-c', line] } });
  });

  it('takes folder and timeout when they are given', () => {
    expect(readRunForm({ line: 'ls', cwd: ' /tmp ', timeoutSeconds: '1.5' })).toEqual({
      kind: 'ready',
      task: { command: ['/bin/sh', '-c', 'ls'], cwd: '/tmp', timeoutMs: 1500 },
    });
  });

  it.each([
    [{ ...empty, line: '   ' }, ['line']],
    [{ ...empty, line: 'ls', cwd: 'tmp' }, ['cwd']],
    [{ ...empty, line: 'ls', timeoutSeconds: 'soon' }, ['timeoutSeconds']],
    [{ ...empty, line: 'ls', timeoutSeconds: '0' }, ['timeoutSeconds']],
    [{ ...empty, line: 'ls', timeoutSeconds: '604801' }, ['timeoutSeconds']],
    [{ line: '', cwd: '.', timeoutSeconds: '-1' }, ['line', 'cwd', 'timeoutSeconds']],
  ])('names what is wrong with %j', (fields, wrong) => {
    const form = readRunForm(fields);
    expect(form.kind === 'wrong' && Object.keys(form.errors)).toEqual(wrong);
  });
});
