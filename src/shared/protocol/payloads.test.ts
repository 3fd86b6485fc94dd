import { describe, expect, it } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { isVakError } from '../base/vak-error.ts';
import { payloadLine } from './payload-line.ts';
import { checkPayload, decodePayload, isKnownType, type KnownType, payloadSchemas, taskPayload } from './payloads.ts';

const id = '0197a3c0-0000-7000-8000-000000000001';
const hash = 'ab'.repeat(32);
const at = '2026-01-02T03:04:05.123Z';
const attempt = { attempt: 1, workerId: 'w1', startedAt: at, endedAt: at, reason: 'exit code 2', exitCode: 2 };

const entry = {
  v: 1,
  room: 'abcdefghijklmnopqrstuvwx23',
  n: 4,
  epoch: 2,
  prevHash: `${'A'.repeat(42)}A`,
  actor: `U${'A'.repeat(55)}`,
  body: { type: 'JOIN', peer: 'ben' },
  sig: `${'A'.repeat(85)}A`,
};

/** One payload of each type, with the line that tells it. */
const samples: { readonly [T in KnownType]: readonly [payload: Record<string, unknown>, line: string] } = {
  'vak.events.tokens': [{ channel: 'thinking', index: 3, text: 'hm' }, 'hm'],
  'vak.events.terminal': [{ stream: 'stderr', offset: 7, bytes: 'AAECAw==' }, 'stderr · 6 bytes at 7'],
  'vak.events.telemetry': [
    { pid: 4, processes: 1, rssBytes: 1_572_864, cpuPercent: 187.4 },
    'rss 1.5 MiB · cpu 187 % · 1 process',
  ],
  'vak.events.status': [{ state: 'failed', taskId: id, attempt: 1, detail: { exitCode: 2 } }, 'failed · exit code 2'],
  'vak.work.task': [{ command: ['ls', '-la'], cwd: '/', env: { A: 'b' }, approval: { title: 'Look?' } }, 'ls -la'],
  'vak.agent.message': [{ kind: 'signal', signal: 'pause', replyTo: id }, 'signal · pause'],
  'vak.receipts.completed': [
    {
      taskId: id,
      taskLeaf: hash,
      queue: 'q',
      workerId: 'w1',
      attempt: 2,
      outcome: 'done',
      startedAt: at,
      endedAt: at,
      exitCode: 0,
      outputHash: hash,
    },
    'done · q #2 · exit code 0',
  ],
  'vak.approvals.request': [
    { title: 'Deploy?', detail: 'to production', command: ['make', 'deploy'], expiresAt: at },
    'Deploy? · to production',
  ],
  'vak.approvals.verdict': [{ requestId: id, requestLeaf: hash, decision: 'deny', reason: 'no' }, 'deny · no'],
  'vak.dlq.failed': [
    {
      envelopeId: id,
      taskLeaf: hash,
      subject: 'vak.work.ws.q.task',
      queue: 'q',
      attempts: 4,
      history: [attempt],
      reason: 'exit code 2',
      errorClass: 'ExitError',
      stack: 'at main',
      failedAt: at,
      workerId: 'w1',
      envelope: { specversion: '1.0', id },
    },
    'ExitError · exit code 2 · q, 4 attempts',
  ],
  'vak.audit.action': [
    { operationId: id, action: 'dlq.retry', target: 'group 7', scope: 'queue q', count: 12, outcome: 'done' },
    'dlq.retry · group 7 · 12 · done',
  ],
  'vak.audit.checkpoint': [{ source: 'vak://ws/p/s-d', seq: 256, head: hash, at }, 'vak://ws/p/s-d#256'],
  'vak.audit.void': [
    { source: 'vak://ws/p/s-d', seq: 9, leaf: hash, reason: 'too large' },
    'vak://ws/p/s-d#9 · too large',
  ],
  'vak.rooms.frame': [
    {
      v: 1,
      room: 'abcdefghijklmnopqrstuvwx23',
      epoch: 2,
      sender: 'ada',
      boot: 'AAAAAAAAAAAAAAAAAAAAAA',
      counter: 5,
      messageId: id,
      kind: 'text',
      n: 4,
      head: `${'A'.repeat(42)}A`,
      ct: 'A'.repeat(22),
      sig: `${'A'.repeat(85)}A`,
    },
    'text · ada · epoch 2 · #5',
  ],
  'vak.rooms.presence': [
    { v: 1, room: 'abcdefghijklmnopqrstuvwx23', isTyping: false, readSeq: 7 },
    'writes no more · has read up to 7',
  ],
  'vak.keys.package': [
    {
      v: 1,
      room: 'abcdefghijklmnopqrstuvwx23',
      epoch: 2,
      rekeyHash: `${'A'.repeat(42)}A`,
      sender: `U${'A'.repeat(55)}`,
      recipient: `U${'B'.repeat(55)}`,
      recipientBox: `${'A'.repeat(42)}A`,
      box: 'A'.repeat(350),
      issuedAt: 1_800_000_000,
      sig: `${'A'.repeat(85)}A`,
    },
    'room key · abcdefghijklmnopqrstuvwx23 · epoch 2',
  ],
  'vak.keys.request': [
    { v: 1, room: 'abcdefghijklmnopqrstuvwx23', epoch: 2, rekeyHash: `${'A'.repeat(42)}A` },
    'asks for a room key · abcdefghijklmnopqrstuvwx23 · epoch 2',
  ],
  'vak.keys.withheld': [
    { v: 1, room: 'abcdefghijklmnopqrstuvwx23', epoch: 2, rekeyHash: `${'A'.repeat(42)}A`, reason: 'not-member' },
    'room key withheld · abcdefghijklmnopqrstuvwx23 · epoch 2 · not-member',
  ],
  'vak.keys.invite': [
    { v: 1, room: 'abcdefghijklmnopqrstuvwx23', n: 7 },
    'invitation · abcdefghijklmnopqrstuvwx23 · entry 7',
  ],
  'vak.rooms.entry': [entry, 'JOIN · ben · #4 · epoch 2'],
  'vak.control.rooms.append': [{ entry }, 'JOIN · ben · #4 · epoch 2'],
  'vak.control.rooms.mine': [{}, 'rooms of whoever asks'],
};
/** Every field of an entry is signed, so there is none that is not known (R15). */
const closed: ReadonlySet<KnownType> = new Set(['vak.rooms.entry']);
const sampleOf = (type: KnownType): Record<string, unknown> => samples[type][0];
const encode = (value: unknown): Uint8Array => utf8(JSON.stringify(value));

/** What a refusal says. */
function refusal(type: KnownType, value: unknown): string {
  try {
    checkPayload(type, value);
  } catch (error) {
    expect(isVakError(error, 'invalid-payload')).toBe(true);
    return (error as Error).message;
  }
  return 'taken';
}

describe('payload registry', () => {
  it('keeps unknown fields', () => {
    const payload = { pid: 1, processes: 1, rssBytes: 5, cpuPercent: 0.5, extra: { kept: true } };
    expect(decodePayload('vak.events.telemetry', utf8(JSON.stringify(payload)))).toEqual(payload);
  });

  it.each([
    ['vak.events.status', { state: 'exploded' }, /state/],
    ['vak.events.terminal', { stream: 'stdout', offset: -1, bytes: '' }, /offset/],
    ['vak.work.task', { command: [] }, /command/],
    ['vak.work.task', { command: ['ls'], timeoutMs: 0 }, /timeoutMs/],
    ['vak.work.task', null, /vak\.work\.task/],
  ] as const)('refuses %s %j and names the field, not the value', (type, value, field) => {
    try {
      checkPayload(type, value);
      expect.unreachable();
    } catch (error) {
      expect(isVakError(error, 'invalid-payload')).toBe(true);
      expect((error as Error).message).toMatch(field);
      expect((error as Error).message).not.toContain('exploded');
    }
  });

  it('tells what is no JSON and what is no UTF-8', () => {
    expect(() => decodePayload('vak.events.status', utf8('{'))).toThrowError(/not valid JSON \(1 bytes\)/);
    expect(() => decodePayload('vak.events.status', new Uint8Array([0x80]))).toThrowError(/not valid UTF-8/);
  });

  it('knows only its own names', () => {
    expect(isKnownType('vak.events.status')).toBe(true);
    expect(isKnownType('toString')).toBe(false);
    expect(isKnownType('__proto__')).toBe(false);
  });

  it.each(Object.keys(payloadSchemas) as KnownType[])(
    'takes a payload of %s, keeps what it does not know, and has a line for it',
    (type) => {
      const payload = { ...sampleOf(type), unknown: { kept: [1, null] } };
      if (closed.has(type)) {
        expect(refusal(type, payload)).toMatch(/unknown/);
        delete (payload as Record<string, unknown>)['unknown'];
      }
      const decoded = decodePayload(type, encode(payload));
      expect(decoded).toEqual(payload);
      expect(payloadLine(type, decoded)).toBe(samples[type][1]);
    },
  );

  it.each(Object.keys(payloadSchemas) as KnownType[])(
    '%s: a field that is missing, or of another kind, is named',
    (type) => {
      for (const field of Object.keys(sampleOf(type))) {
        expect(refusal(type, { ...sampleOf(type), [field]: { no: 'such' } }), field).toMatch(
          field === 'envelope' || field === 'env' || field === 'detail' || field === 'approval'
            ? /./
            : new RegExp(`${field}`),
        );
        const { [field]: _left, ...without } = sampleOf(type);
        const message = refusal(type, without);
        if (message !== 'taken') expect(message, field).toMatch(new RegExp(`^${type}: (${field}|command)\\b`));
      }
      for (const value of [null, [], 'text', 1]) expect(refusal(type, value)).toMatch(new RegExp(`^${type}: `));
    },
  );

  it.each([
    ['W4', 'vak.dlq.failed', { reason: 'x'.repeat(1024) }, { reason: 'x'.repeat(1025) }],
    ['W4', 'vak.dlq.failed', { reason: 'ä'.repeat(512) }, { reason: 'ä'.repeat(513) }],
    ['W4', 'vak.dlq.failed', { stack: '😀'.repeat(2048) }, { stack: '😀'.repeat(2049) }],
    ['W4', 'vak.dlq.failed', { envelopeId: null, workerId: null }, { envelopeId: undefined }],
    ['W4', 'vak.dlq.failed', { envelope: 'AAE=' }, { envelope: 'AAF=' }],
    ['W4', 'vak.dlq.failed', { envelope: { bucket: 'b', object: 'o', sha256: hash } }, { envelope: { bucket: 'b' } }],
    ['W4', 'vak.dlq.failed', { history: Array(256).fill(attempt) }, { history: Array(257).fill(attempt) }],
    ['W4', 'vak.dlq.failed', { history: [] }, { history: [{ ...attempt, attempt: 0 }] }],
    ['W6', 'vak.receipts.completed', { outcome: 'attempt-failed' }, { outcome: 'failed' }],
    ['W6', 'vak.receipts.completed', { attempt: 1 }, { attempt: 0 }],
    ['W6', 'vak.receipts.completed', { outputHash: '0'.repeat(64) }, { outputHash: 'A'.repeat(64) }],
    ['W6', 'vak.receipts.completed', { endedAt: '2026-01-02T03:04:05Z' }, { endedAt: '2026-01-02T03:04:05+00:00' }],
    ['W6', 'vak.receipts.completed', { endedAt: '2024-02-29T23:59:59Z' }, { endedAt: '2026-13-01T00:00:00Z' }],
    ['W6', 'vak.receipts.completed', { queue: 'q'.repeat(64) }, { queue: 'q.r' }],
    ['W6', 'vak.receipts.completed', { taskId: id }, { taskId: id.toUpperCase() }],
    ['W8', 'vak.approvals.verdict', { decision: 'approve' }, { decision: 'maybe' }],
    ['W8', 'vak.approvals.verdict', { reason: 'x'.repeat(1024) }, { reason: 'x'.repeat(1025) }],
    ['W8', 'vak.approvals.request', { detail: 'x'.repeat(65_536) }, { detail: 'x'.repeat(65_537) }],
    ['E12', 'vak.audit.void', { source: 'foreign:place' }, { source: 'a|b' }],
    ['E12', 'vak.audit.void', { seq: 0 }, { seq: 2 ** 53 }],
    ['E14', 'vak.audit.checkpoint', { seq: 2 ** 53 - 1 }, { seq: -1 }],
    ['E14', 'vak.audit.checkpoint', { source: 'vak://ws/p/s' }, { source: 'a\u0007b' }],
    ['R7', 'vak.rooms.frame', { boot: 'AAAAAAAAAAAAAAAAAAAAAA' }, { boot: 'AAAAAAAAAAAAAAAAAAAAAB' }],
    ['R7', 'vak.rooms.frame', { boot: '-_-_-_-_-_-_-_-_-_-_-Q' }, { boot: '-_-_' }],
    ['R7', 'vak.rooms.frame', { sig: 'A'.repeat(86) }, { sig: 'A'.repeat(88) }],
    ['R7', 'vak.rooms.frame', { ct: 'A'.repeat(64) }, { ct: 'A'.repeat(700_000) }],
    ['R7', 'vak.rooms.frame', { ct: 'A'.repeat(22) }, { ct: 'AAAA' }],
    ['R7', 'vak.rooms.frame', { kind: 'reaction' }, { kind: 'html' }],
    ['R7', 'vak.rooms.frame', { v: 1 }, { v: 2 }],
    ['R7', 'vak.rooms.frame', {}, { room: 'ABCDEFGHIJKLMNOPQRSTUVWX23' }],
    ['R36', 'vak.rooms.frame', {}, { messageId: '0197a3c0-0000-4000-8000-000000000001' }],
    ['R36', 'vak.rooms.frame', {}, { messageId: 'm1' }],
    ['R29', 'vak.keys.package', { stepCommit: 'A'.repeat(43) }, { stepCommit: 'A'.repeat(44) }],
    ['R29', 'vak.keys.package', {}, { box: 'A'.repeat(352) }],
    ['R29', 'vak.keys.package', {}, { recipient: `A${'A'.repeat(55)}` }],
    ['R28', 'vak.keys.withheld', { reason: 'no-box-key' }, { reason: 'because' }],
    ['R28', 'vak.keys.request', {}, { epoch: -1 }],
    ['R28', 'vak.keys.invite', { n: 0 }, { n: 0.5 }],
    ['E16', 'vak.events.terminal', { bytes: '' }, { bytes: 'not base64' }],
  ] as const)('%s %s keeps its bounds, and names what breaks one (%#)', (_rule, type, good, bad) => {
    expect(refusal(type, { ...sampleOf(type), ...good })).toBe('taken');
    const [field = ''] = Object.keys(bad);
    expect(refusal(type, { ...sampleOf(type), ...bad })).toMatch(new RegExp(`^${type}: ${field}`));
  });

  it('a task is a command or an input, exactly one of them', () => {
    expect(refusal('vak.work.task', { input: { any: [1] } })).toBe('taken');
    expect(refusal('vak.work.task', { input: null })).toBe('taken');
    expect(payloadLine('vak.work.task', checkPayload('vak.work.task', { input: { any: [1] } }))).toBe(
      'input {"any":[1]}',
    );
    expect(payloadLine('vak.work.task', checkPayload('vak.work.task', { input: null }))).toBe('input null');
    for (const neither of [{}, { command: ['ls'], input: 1 }]) {
      expect(refusal('vak.work.task', neither)).toBe(
        'vak.work.task: command: expected exactly one of command and input',
      );
    }
    expect(taskPayload.safeParse({ command: ['ls'] }).success).toBe(true);
    for (const other of [{ input: 1 }, { command: ['ls'], input: 1 }])
      expect(taskPayload.safeParse(other).success).toBe(false);
  });

  it('a message says something, or names a signal', () => {
    expect(refusal('vak.agent.message', { kind: 'steer', text: 'left' })).toBe('taken');
    expect(refusal('vak.agent.message', { kind: 'steer' })).toMatch(/: text: missing/);
    expect(refusal('vak.agent.message', { kind: 'text', signal: 'pause' })).toMatch(/: text: missing/);
    expect(refusal('vak.agent.message', { kind: 'signal', text: 'stop' })).toMatch(/: signal: missing/);
  });

  it('what is larger than its type allows is refused before it is parsed', () => {
    const task = encode({ command: ['x'.repeat(100)], pad: 'y'.repeat(512 * 1024) });
    for (const [type, bytes] of [
      ['vak.work.task', task],
      ['vak.events.tokens', new Uint8Array(1024 * 1024 + 1)],
    ] as const) {
      try {
        decodePayload(type, bytes);
        expect.unreachable();
      } catch (error) {
        expect(isVakError(error, 'limit-exceeded')).toBe(true);
      }
    }
  });

  it('nesting without end is a typed error or a value, never a fault', () => {
    const deep = utf8(`{"state":"done","more":${'['.repeat(400_000)}${']'.repeat(400_000)}}`);
    try {
      expect(decodePayload('vak.events.status', deep).state).toBe('done');
    } catch (error) {
      expect(isVakError(error)).toBe(true);
    }
  });
});
