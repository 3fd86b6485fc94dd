import { expect, test, vi } from 'vitest';
import { createCallContext } from '../../../tests/support/call-context.ts';
import { createLinksService } from './links-service.ts';

const context = createCallContext();

test('L3 only the newest link waits, with the count of those that it takes the place of', () => {
  const onChange = vi.fn();
  const links = createLinksService(onChange);
  expect(links.waiting()).toBeNull();
  for (const queue of ['a', 'b', 'c']) links.take({ link: `vak://default/~queue/${queue}` });
  expect(links.waiting()).toEqual({
    ...{ id: 3, file: null, why: null, droppedCount: 2 },
    link: { workspace: 'default', place: { kind: 'queue', queue: 'c', taskId: null } },
  });
  links.calls.answer({ id: 2 }, context);
  expect(links.waiting()?.id).toBe(3);
  links.calls.answer({ id: 3 }, context);
  expect(links.waiting()).toBeNull();
  expect(onChange).toHaveBeenCalledTimes(4);
  links.take({ link: 'vak://default/~view/rooms' });
  expect(links.waiting()).toMatchObject({ id: 4, droppedCount: 0 });
});

test('L2 what is no link waits as what is wrong with it, and never as its text', () => {
  const links = createLinksService(() => {});
  links.take({ link: 'vak://default/~run/rm%20-rf' });
  expect(links.waiting()).toMatchObject({ link: null, why: expect.stringMatching(/no such place/) });
  expect(JSON.stringify(links.waiting())).not.toContain('rm');
});

const prompt = {
  askSecret: vi.fn(),
  chooseSaveFile: vi.fn(),
  chooseOpenFile: vi.fn(async () => '/chosen'),
  chooseOpenFiles: vi.fn(),
};

test('L5 a file waits by its name alone, is given out once to who names it, and whoever names none is asked', async () => {
  const links = createLinksService(() => {});
  const { chooseOpenFile } = links.answering(prompt);
  links.take({ file: '/home/x/night.vakbundle' });
  expect(links.waiting()).toEqual({
    ...{ id: 1, link: null, why: null, droppedCount: 0 },
    file: { kind: 'bundle', name: 'night.vakbundle' },
  });
  expect(JSON.stringify(links.waiting())).not.toContain('/home');
  const refused = expect.objectContaining({ code: 'conflict' });
  await expect(chooseOpenFile({ title: 'Open', linkId: 2 })).rejects.toEqual(refused);
  expect(await chooseOpenFile({ title: 'Open' })).toBe('/chosen');
  expect(await chooseOpenFile({ title: 'Open', linkId: 1 })).toBe('/home/x/night.vakbundle');
  expect(links.waiting()).toBeNull();
  await expect(chooseOpenFile({ title: 'Open', linkId: 1 })).rejects.toEqual(refused);
});

test('L5 a link has no file to give out, nor has a file that was put away or that another one took the place of', async () => {
  const links = createLinksService(() => {});
  const { chooseOpenFile } = links.answering(prompt);
  const choose = (linkId: number) => chooseOpenFile({ title: 'Open', linkId }).catch(({ code }) => code);
  links.take({ file: '/a.creds' });
  links.take({ link: 'vak://default/~view/rooms' });
  expect([await choose(1), await choose(2), links.waiting()?.id]).toEqual(['conflict', 'conflict', 2]);
  links.take({ file: '/b.creds' });
  expect(links.waiting()).toMatchObject({ file: { kind: 'credentials' }, droppedCount: 2 });
  links.calls.answer({ id: 3 }, context);
  expect(await choose(3)).toBe('conflict');
  links.take({ file: '/b.txt' });
  expect(links.waiting()).toMatchObject({ file: null, why: expect.stringContaining('neither') });
});
