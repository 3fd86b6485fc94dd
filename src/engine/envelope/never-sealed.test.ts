import { expect, test } from 'vitest';
import { subjectRows, typeOfSubject } from '../../shared/protocol/subject.ts';
import { isNeverSealed } from './never-sealed.ts';

test('E8 of the table, rooms, keys, checkpoint, void and control are exempt, and nothing else', () => {
  const types = subjectRows.flatMap(({ plane, verbs }) =>
    (verbs ?? ['run']).map((verb) => typeOfSubject({ plane, workspace: 'acme', entity: 'one', verb })),
  );
  expect(types.filter(isNeverSealed)).toEqual([
    'vak.rooms.log',
    'vak.rooms.messages',
    'vak.rooms.presence',
    'vak.keys.package',
    'vak.audit.checkpoint',
    'vak.audit.void',
    'vak.control.run',
  ]);
  expect(isNeverSealed('vak.rooms.frame')).toBe(true);
});

test('E8 what only looks like one of them is sealed', () => {
  for (const type of ['vak.rooms', 'vak.roomsx.log', 'x.vak.rooms.log', 'vak.audit.action', 'vak.audit.voids', '']) {
    expect(isNeverSealed(type), type).toBe(false);
  }
});
