import { expect, test } from 'vitest';
import { sandboxProblem } from './sandbox-check.ts';

const given =
  (...switches: string[]) =>
  (name: string): boolean =>
    switches.includes(name);

test('a start without the sandbox is refused with what to do, unless development says that it means it', () => {
  expect(sandboxProblem(given(), {})).toBeUndefined();
  expect(sandboxProblem(given('disable-gpu'), {})).toBeUndefined();
  expect(sandboxProblem(given('no-sandbox'), {})).toMatch(/--no-sandbox.*\.deb/);
  expect(sandboxProblem(given('no-sandbox'), { VAK_DEV_NO_SANDBOX: '' })).toBeDefined();
  expect(sandboxProblem(given('no-sandbox'), { VAK_DEV_NO_SANDBOX: '1' })).toBeUndefined();
});
