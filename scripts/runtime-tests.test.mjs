import { expect, it } from 'vitest';
import { SetUpError } from './report.mjs';
import { describeRuntime, readRuntimeVersions, runtimeEnv } from './runtime-tests.mjs';

it('prints which runtime it is, and BoringSSL by its name', () => {
  const electron = { electron: '33.2.1', chrome: '130.0', node: '20.18.1', v8: '13.0', openssl: '0.0.0', zlib: '1' };
  expect(describeRuntime(electron)).toBe(
    'electron 33.2.1 · chrome 130.0 · node 20.18.1 · v8 13.0 · openssl 0.0.0 (BoringSSL)',
  );
  expect(describeRuntime({ electron: '1', openssl: '3.0.1' })).toBe(
    'electron 1 · chrome unknown · node unknown · v8 unknown · openssl 3.0.1',
  );
});

it('makes a plain Node of it, and tells the tests which one', () => {
  expect(runtimeEnv({ HOME: '/h' }, { electron: '33.2.1' })).toEqual({
    HOME: '/h',
    ELECTRON_RUN_AS_NODE: '1',
    VAK_TEST_RUNTIME: 'electron 33.2.1',
  });
});

it('a Node that is no Electron, or nothing at all, is refused: the tests would prove nothing there', async () => {
  await expect(readRuntimeVersions('/nowhere/electron')).rejects.toThrow(SetUpError);
  await expect(readRuntimeVersions(process.execPath)).rejects.toThrow(SetUpError);
});
