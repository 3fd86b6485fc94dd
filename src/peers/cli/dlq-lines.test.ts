import { expect, test } from 'vitest';
import type { LetterGroup, LetterReport, LetterRow } from '../../shared/contract/dlq-contract.ts';
import { groupTable, planLines, planWords, reportText, rowTable, rowValue } from './dlq-lines.ts';

const row: LetterRow = {
  ...{ seq: 17, storedMs: 1_000, failedMs: 0, state: 'open', queue: 'builds', taskId: 'id', type: 'vak.work.task' },
  ...{ workerId: null, errorClass: 'exit.7', reason: 'no\u202eroute', attempts: 4, fingerprint: '0123456789abcdef' },
  ...{ isSealed: true, closedWhy: null },
};

test('D12 vak: letters and groups stand in columns, and nothing in them is hidden', () => {
  expect(rowTable([row]).split('\n')).toEqual([
    'SEQ  FAILED                    STATE  QUEUE   WORKER  ATTEMPTS  CAUSE             ERROR   REASON',
    ' 17  1970-01-01T00:00:00.000Z  open   builds  –              4  0123456789abcdef  exit.7  no‹U+202E›route',
    '',
  ]);
  expect(rowValue(row)).toMatchObject({ seq: 17, failed: '1970-01-01T00:00:00.000Z', worker: null, attempts: 4 });
  const counts = { open: 2, retrying: 0, resolved: 1, 'failed-again': 0, archived: 0 };
  const group: LetterGroup = {
    ...{
      key: '',
      title: 'w',
      errorClass: null,
      rootType: null,
      frames: [],
      counts,
      totalCount: 3,
      firstMs: 0,
      lastMs: 0,
    },
    ...{ history: [], trend: 'steady', queues: [], moreQueuesCount: 0, state: 'open', assignee: null, note: null },
    ...{ said: null, newCount: 0, newestSeq: 1 },
  };
  expect(groupTable([group])).toMatch(
    /^GROUP {2}STATE {2}OPEN {2}ALL {2}FIRST.*\n– {6}open {6}2 {4}3 {2}1970-.* steady {2}– {6}w\n$/,
  );
  const plan = {
    ...{ planId: 'p', count: 2, allCount: 9, environment: 'prod', cutoffSeq: 40 },
    ...{ queues: [{ queue: 'builds', count: 2 }], leftOut: [{ why: 'it is archived already', count: 1 }] },
  };
  expect(planWords(plan)).toBe(
    '2 of 9 dead letters in prod, up to place 40, queue builds: 2, left out: 1 (it is archived already)',
  );
  expect(planLines(plan)).toEqual([
    '2 of 9 dead letters in prod, up to place 40',
    '  queue builds: 2',
    '  left out: 1 (it is archived already)',
  ]);
});

test('D12 vak: a letter whole says why it failed, what was tried, and what is on record', () => {
  const [retries] = [[]];
  const report: LetterReport = {
    ...{
      ...row,
      closedWhy: 'There is no secret s9 here.',
      by: 'w1',
      signature: { kind: 'none' },
      reasonText: 'one\ntwo',
    },
    ...{ stack: 'TypeError: x\n    at f', frames: [], attributes: [], sizeBytes: 12, traceId: null, session: null },
    attemptList: [
      {
        attempt: 1,
        workerId: 'w1',
        startedMs: 0,
        endedMs: 5,
        reason: 'no',
        exitCode: 7,
        errorClass: null,
        isProven: false,
      },
    ],
    retries,
    ancestors: [{ id: 'a1', subject: null, type: null, peer: null, atMs: null }],
    audit: [{ atMs: 0, by: 'o', operationId: 'op', action: 'dlq.read', outcome: 'done', reason: null }],
    keptUntilMs: null,
  };
  expect(reportText(report).split('\n')).toEqual([
    'dead letter 17  open  queue builds  task id  worker –  failed 1970-01-01T00:00:00.000Z',
    'cause 0123456789abcdef  error exit.7  type vak.work.task  12 bytes  written by w1',
    ...['reason:', '    one', '    two', 'stack:', '    TypeError: x', '        at f', 'attempts, newest first:'],
    '    1  w1  1970-01-01T00:00:00.000Z  5 ms  (not proven)  no',
    ...['caused by:', '    a1  –  –  –', 'on record, newest first:'],
    '    1970-01-01T00:00:00.000Z  o  dlq.read  done  op',
    'cannot be opened: There is no secret s9 here.',
  ]);
});
