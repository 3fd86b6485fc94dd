import { expect, test } from 'vitest';
import { authorWith, draftOf } from '../../../tests/support/envelope-fixture.ts';
import { readVoidRecord } from './void-record.ts';

const leaf = 'ab'.repeat(32);
const own = { source: 'vak://acme/ada/ada-1-e', seq: 3, leaf };

function recordOf(payload: object, subject = 'vak.audit.acme.ada.void') {
  return authorWith({ kind: 'd' }).publish(draftOf(JSON.stringify(payload), subject), () => {});
}

test('E12 a void record names a place of its own sender, in any of its sessions', () => {
  expect(readVoidRecord(recordOf({ ...own, reason: 'refused', more: 1 }))).toEqual(own);
  const earlier = { ...own, source: 'vak://acme/ada/ada-0-d' };
  expect(readVoidRecord(recordOf({ ...earlier, reason: 'refused' }))).toEqual(earlier);
  // A record says why (protocol.md §3).
  expect(readVoidRecord(recordOf(earlier))).toBeUndefined();
});

test('E12 it says nothing about another peer, another workspace or a foreign chain', () => {
  for (const source of ['vak://acme/bob/ada-1-e', 'vak://other/ada/ada-1-e', 'vak://test']) {
    expect(readVoidRecord(recordOf({ ...own, source }))).toBeUndefined();
  }
  expect(readVoidRecord({ ...recordOf(own), source: 'vak://test' })).toBeUndefined();
});

test('E12 only envelopes of its type are records', () => {
  expect(readVoidRecord(recordOf(own, 'vak.audit.acme.ada.checkpoint'))).toBeUndefined();
  expect(readVoidRecord({ ...recordOf(own), type: 'vak.audit.action' })).toBeUndefined();
});
