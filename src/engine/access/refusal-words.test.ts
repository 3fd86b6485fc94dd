import { expect, it } from 'vitest';
import { refusalError } from './refusal-words.ts';

const tried = { action: 'publish', subject: '$JS.API.STREAM.PURGE.VAK_WORK_ws', peer: 'w1', rule: 'A1 default deny' };

it('A20 a refusal says what was tried, by whom with which roles, the rule, and the side', () => {
  const { code, message, details } = refusalError({ ...tried, roles: ['worker'], side: 'server' });
  expect(code).toBe('unauthorized');
  expect(message).toBe(
    'publish $JS.API.STREAM.PURGE.VAK_WORK_ws: w1 may not, its roles are worker; refused by the server, rule: A1 default deny; see vak acl explain',
  );
  expect(details).toMatchObject({ ...tried, roles: 'worker', side: 'server' });
  expect(refusalError({ ...tried, roles: [], side: 'engine' })).toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('it has no role; refused by the engine'),
  });
  expect(refusalError({ ...tried, roles: undefined, side: 'server' }).message).toContain('not known here');
});

it('A20 hostile text is not shown as it is, nor in full', () => {
  const { message } = refusalError({ ...tried, subject: `\u202e${'x'.repeat(4_000)}`, roles: [], side: 'engine' });
  expect(message).toMatch(/publish \?x{255}: w1/);
});
