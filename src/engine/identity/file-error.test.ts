import { expect, test } from 'vitest';
import { fileError } from './file-error.ts';

const refusal = (code: string): Error => Object.assign(new Error('text of the system'), { code });

test.each([
  ['ENOSPC', 'disk-full', true, 'cannot write /a (ENOSPC): the disk is full: free space on it, then try again'],
  [
    'EDQUOT',
    'disk-full',
    true,
    "cannot write /a (EDQUOT): this user's share of the disk is used up: free space, then try again",
  ],
  [
    'EMFILE',
    'limit-exceeded',
    true,
    'cannot write /a (EMFILE): too many files are open: raise the limit (ulimit -n), then try again',
  ],
  [
    'EACCES',
    'forbidden',
    false,
    'cannot write /a (EACCES): this user may not: see who owns it and its mode, or use another folder',
  ],
  ['EROFS', 'forbidden', false, 'cannot write /a (EROFS): its file system is read-only: use another folder'],
  ['EXDEV', 'forbidden', false, 'cannot write /a (EXDEV): check the path and its file system'],
])('B10 %s of the file system is told by its code, with what to do', (systemCode, code, retryable, message) => {
  expect(fileError('write', '/a', refusal(systemCode))).toMatchObject({
    ...{ code, message, retryable, details: { path: '/a', systemCode } },
  });
});

test('B10 what is no error of the system comes back as it is', () => {
  const bug = new TypeError('x');
  expect(fileError('write', '/a', bug)).toBe(bug);
});
