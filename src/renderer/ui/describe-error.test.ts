import { expect, it } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import { describeError } from './describe-error.ts';

it('B10 what the file system refuses is told by its own way out, and is no matter of grants', () => {
  const details = { path: '/nowhere/x', systemCode: 'ENOENT' };
  const missing = new VakError('forbidden', 'cannot write /nowhere/x (ENOENT): check the path', { details });
  expect(describeError('Export', missing).next).toContain('choose another place');
  expect(describeError('Export', new VakError('forbidden', 'no role')).next).toContain('ask who grants access');
});
