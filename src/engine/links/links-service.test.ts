import { expect, test, vi } from 'vitest';
import { createCallContext } from '../../../tests/support/call-context.ts';
import { createLinksService } from './links-service.ts';

const context = createCallContext();

test('L3 only the newest link waits, with the count of those that it takes the place of', () => {
  const onChange = vi.fn();
  const links = createLinksService(onChange);
  expect(links.waiting()).toBeNull();
  for (const queue of ['a', 'b', 'c']) links.take(`vak://default/~queue/${queue}`);
  expect(links.waiting()).toEqual({
    ...{ id: 3, why: null, droppedCount: 2 },
    link: { workspace: 'default', place: { kind: 'queue', queue: 'c', taskId: null } },
  });
  links.calls.answer({ id: 2 }, context);
  expect(links.waiting()?.id).toBe(3);
  links.calls.answer({ id: 3 }, context);
  expect(links.waiting()).toBeNull();
  expect(onChange).toHaveBeenCalledTimes(4);
  links.take('vak://default/~view/rooms');
  expect(links.waiting()).toMatchObject({ id: 4, droppedCount: 0 });
});

test('L2 what is no link waits as what is wrong with it, and never as its text', () => {
  const links = createLinksService(() => {});
  links.take('vak://default/~run/rm%20-rf');
  expect(links.waiting()).toMatchObject({ link: null, why: expect.stringMatching(/no such place/) });
  expect(JSON.stringify(links.waiting())).not.toContain('rm');
});
