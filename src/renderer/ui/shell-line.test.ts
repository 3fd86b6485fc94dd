import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandParts, shellLine } from './shell-line.ts';

describe('a command as a line', () => {
  it('is quoted only where it has to be', () => {
    expect(shellLine(['rm', '-rf', 'cache/shot_05'])).toBe('rm -rf cache/shot_05');
    expect(shellLine(['echo', '$HOME', "it's", ''])).toBe(`echo '$HOME' 'it'\\''s' ''`);
  });

  it('a shell reads the same words', () => {
    const words = fc.array(
      fc.string().filter((word) => !word.includes('\0')),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(words, (all) => {
        const out = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${shellLine(all)}`]).toString();
        expect(out.split('\0').slice(0, -1)).toEqual(all);
      }),
      { numRuns: 20 },
    );
  });

  it('a script stands by itself, unless there is more than the script', () => {
    expect(commandParts(['/bin/sh', '-c', "echo 'a'\nls"])).toEqual({ shell: '/bin/sh -c', text: "echo 'a'\nls" });
    expect(commandParts(['sh', '-c', 'ls', 'more']).text).toBe('sh -c ls more');
    expect(commandParts(['ls', '-c', 'x']).shell).toBeUndefined();
  });
});
