import { expect, test } from 'vitest';
import { sandboxProblem } from './sandbox-check.ts';

const given =
  (...switches: string[]) =>
  (name: string): boolean =>
    switches.includes(name);

test('a start without the sandbox is refused with what to do, unless development says that it means it', () => {
  expect(sandboxProblem(given(), {})).toBeUndefined();
  expect(sandboxProblem(given('disable-gpu'), {})).toBeUndefined();
  expect(sandboxProblem(given('no-sandbox'), {})).toMatch(/started with --no-sandbox\. Start it without/);
  expect(sandboxProblem(given('no-sandbox'), { VAK_DEV_NO_SANDBOX: '' })).toBeDefined();
  expect(sandboxProblem(given('no-sandbox'), { VAK_DEV_NO_SANDBOX: '1' })).toBeUndefined();
});

test('in an AppImage, whose launcher adds the switch by itself, the refusal names the cause and both ways out', () => {
  const problem = sandboxProblem(given('no-sandbox'), { APPDIR: '/tmp/.mount_vak' });
  expect(problem).toMatch(/may not make user namespaces[\s\S]*install the \.deb[\s\S]*allow user namespaces/);
  expect(sandboxProblem(given(), { APPDIR: '/tmp/.mount_vak' })).toBeUndefined();
});
