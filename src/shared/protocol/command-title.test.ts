import { describe, expect, it } from 'vitest';
import { commandTitle } from './command-title.ts';

describe('the name of a command', () => {
  it.each([
    [['ls', '-la', '/tmp'], 'ls -la /tmp'],
    [['/bin/sh', '-c', 'find . | head'], 'find . | head'],
    [['sh', '-c', '# sample: hash\nsay() { :; }\nsay'], 'sample: hash'],
    [['sh', '-c', '\n\n  make -j4 \nmake test'], 'make -j4'],
    [['sh', '-c', '#'], '#'],
    [['sh', 'script.sh'], 'sh script.sh'],
    [['node', '-c', 'x.js'], 'node -c x.js'],
    [[], ''],
  ])('%j is %j', (command, expected) => {
    expect(commandTitle(command)).toBe(expected);
  });
});
