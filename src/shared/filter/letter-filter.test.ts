import { expect, it } from 'vitest';
import { isOfClass } from './letter-filter.ts';

it.each([
  ['exit.1', 'exit.1', true],
  ['exit.1', 'EXIT', true],
  ['exit.1', 'exit.', true],
  ['exit.12', 'exit.1', false],
  ['exit.1', 'ex', false],
  ['java.net.ConnectException', 'java.net', true],
  ['TimeoutError', 'timeout', false],
  ['TimeoutError', 'timeouterror', true],
  ['', 'exit', false],
])('D12 of the class %s error:%s is %s', (errorClass, text, isSo) => {
  expect(isOfClass(errorClass, text)).toBe(isSo);
});
