import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type OpenedLine, prepareServer, startListener } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();

interface Published {
  readonly id: string;
  readonly subject: string;
  readonly stream?: string;
  readonly seq?: number;
  readonly leaf: string;
}

const task = '{"command":["true"],"env":{"N":"1"}}';

test('vak: provision makes what is missing once, and a dry run changes nothing', async () => {
  const call = ['provision', '--json', '--workspace', 'once', ...bus.url()];
  const outcomes = async (...more: string[]): Promise<string[]> => {
    const { code, stdout } = await vak([...call, ...more]);
    expect(code).toBe(0);
    return jsonLines<{ outcome: string }>(stdout).map(({ outcome }) => outcome);
  };
  expect(new Set(await outcomes('--dry-run'))).toEqual(new Set(['created']));
  expect(
    jsonLines<{ stream: string }>(`${(await vak(['stream', 'ls', '--json', ...bus.url()])).stdout}[]`),
  ).not.toContainEqual(expect.objectContaining({ stream: 'VAK_WORK_once' }));
  const made = await outcomes();
  expect([made.length, new Set(made)]).toEqual([13, new Set(['created'])]);
  expect(new Set(await outcomes())).toEqual(new Set(['unchanged']));
  const { stdout } = await vak(['stream', 'ls', '--json', ...bus.url()]);
  expect(jsonLines(stdout)).toContainEqual(
    expect.objectContaining({ stream: 'VAK_WORK_once', subjects: ['vak.work.once.*.task'], messages: 0 }),
  );
}, 60_000);

test('vak: a stream that cannot be made as it should ends provision with the field, exit 1', async () => {
  const fabric = await bus.connect();
  const [work] = streamsOf('clash');
  if (work !== undefined) await fabric.durable.ensureStream({ ...work, retention: 'limits' });
  await fabric.close();
  expect(await vak(['provision', '--workspace', 'clash', ...bus.url()])).toEqual({
    code: 1,
    stdout: '',
    stderr: oneLine(/stream VAK_WORK_clash: retention is another one on the server and cannot be changed/),
  });
}, 30_000);

test('vak: what one process publishes sealed another one opens, by the profile and by the environment', async () => {
  await newSelf();
  await bus.provision();
  const secret = program.secretFile('workspace', 'canary: shared secret');
  const environment = { VAK_WORKSPACE_SECRET_FILE: secret };
  const listener = await startListener(program, ['vak.>', '--open', '--count', '4', ...bus.url()], environment);
  const status = [
    'publish',
    'vak.events.default.self.status',
    '--data',
    '{"state":"heartbeat","n":12345678901234567890}',
  ];
  const live = json<Published>((await vak([...status, '--sealed', ...bus.url()])).stdout);
  const work = ['publish', 'vak.work.default.builds.task', '--sealed', ...bus.url(), '--data'];
  const stored = json<Published>((await vak([...work, task], { environment })).stdout);
  const plain = await vak([...status, ...bus.url()]);
  expect(plain).toMatchObject({ code: 0, stderr: oneLine(/it goes plain, and receivers refuse that/) });
  const { code, stdout } = await listener.ended;
  expect(code).toBe(0);
  const [first, second, checkpoint, fourth] = jsonLines<OpenedLine>(stdout);
  expect(first).toMatchObject({
    ...{ subject: live.subject, envelope: { id: live.id, seqnum: '0' } },
    trust: { signature: 'valid', seal: 'opens', chain: 'ok' },
  });
  expect(live.subject).toMatch(/^vak\.events\.default\.operator-[a-z2-7]{8}-e\.status$/);
  expect(first?.envelope.keyid).toMatch(/^s1\.operator\./);
  expect(stdout).toContain('"payload":{"state":"heartbeat","n":12345678901234567890}');
  expect(second).toMatchObject({ payload: json(task), trust: { signature: 'valid', seal: 'opens' } });
  expect(second?.envelope.keyid).toMatch(/^env\.operator\./);
  expect(stored).toMatchObject({ stream: 'VAK_WORK_default', seq: 1, leaf: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(checkpoint).toMatchObject({
    ...{ subject: 'vak.audit.default.operator.checkpoint', payload: { seq: 0, head: stored.leaf } },
    trust: { signature: 'valid', seal: 'exempt' },
  });
  expect(fourth).toMatchObject({ payload: null, payload_base64: null, trust: { refusal: { reason: 'plain' } } });
  expect(program.printed()).not.toContain('canary');
}, 90_000);

test('E12 V6 vak: each call is a session of its own, and names the one before; what they stored is exported as it is', async () => {
  await newSelf();
  await bus.provision();
  const call = ['publish', 'vak.work.default.chained.task', '--sealed', '--data', task, ...bus.url()];
  const first = json<Published>((await vak(call)).stdout);
  await vak(call);
  const { stdout } = await vak(['stream', 'view', 'work', '--subject', 'vak.work.*.chained.task', ...bus.url()]);
  const [one, two] = jsonLines<{ envelope: { source: string; resumes?: string; seqnum: string } }>(stdout);
  expect(one?.envelope).not.toHaveProperty('resumes');
  expect(two?.envelope).toMatchObject({ seqnum: '0', resumes: `${one?.envelope.source}#0:${first.leaf}` });
  expect(two?.envelope.source).toMatch(/^vak:\/\/default\/operator\/operator-[a-z2-7]{8}-q$/);
  const out = join(program.folder, 'chained.ndjson');
  const match = ['--match', 'subject:chained signature:valid', '--payloads', '--from', '1'];
  const exporting = ['stream', 'export', 'work', ...match, '--out', out, ...bus.url()];
  expect(await vak(exporting)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('chained.ndjson: 2 messages'),
  });
  const lines = jsonLines<{ message_base64: string; payload_base64: string }>(readFileSync(out, 'utf8').trimEnd());
  expect(lines.map((line) => Buffer.from(line.payload_base64, 'base64').toString())).toEqual([task, task]);
  expect(json(Buffer.from(lines[1]?.message_base64 ?? '', 'base64').toString())).toEqual(two?.envelope);
  expect(await vak(exporting)).toMatchObject({ stderr: oneLine(/\S+ is there already/) });
}, 60_000);

test('vak: subscribe without --open gives the envelope as it came, and --raw its very bytes', async () => {
  await newSelf();
  const pattern = 'vak.events.default.*.status';
  const listeners = await Promise.all([
    startListener(program, [pattern, '--count', '1', ...bus.url()]),
    startListener(program, [pattern, '--raw', '--count', '1', ...bus.url()]),
  ]);
  const file = join(program.folder, 'status.json');
  writeFileSync(file, '{"state":"started"}\n');
  const { stdout } = await vak(['publish', 'vak.events.default.self.status', '--data', file, ...bus.url()]);
  const { id, subject } = json<Published>(stdout);
  const [asLine, raw] = await Promise.all(listeners.map(({ ended }) => ended));
  const envelope = json<{ id: string; data_base64: string }>(asLine?.stdout ?? '');
  expect([envelope.id, Buffer.from(envelope.data_base64, 'base64').toString()]).toEqual([
    id,
    readFileSync(file, 'utf8'),
  ]);
  const text = (asLine?.stdout ?? '').trimEnd();
  expect(raw?.stdout).toBe(`${subject} ${Buffer.byteLength(text)}\n${text}\n`);
}, 60_000);

test('vak: subscribe ends with 4 after a signal, and quietly when nobody reads', async () => {
  const listener = await startListener(program, ['vak.>', ...bus.url()]);
  listener.child.kill('SIGINT');
  expect(await listener.ended).toMatchObject({ code: 4, stdout: '' });
  await newSelf();
  const cut = await startListener(program, ['vak.>', ...bus.url()]);
  cut.child.stdout?.destroy();
  const publish = ['publish', 'vak.events.default.self.status', '--data', '{"state":"started"}', ...bus.url()];
  await vak(publish);
  await vak(publish);
  expect((await cut.ended).code).toBe(0);
}, 60_000);

test('vak: a stream is viewed page by page, between numbers and times, and one message is got', async () => {
  await newSelf();
  await bus.provision('pages');
  // More than a page of the command, without starting as many programs.
  const fabric = await bus.connect();
  const bytes = new Uint8Array([0xff, 0x00]);
  for (let i = 0; i < 600; i++) await fabric.durable.append(`vak.dlq.pages.p${i % 2}.failed`, bytes);
  await fabric.close();
  const view = async (...more: string[]): Promise<number[]> => {
    const { code, stdout } = await vak(['stream', 'view', 'dlq', '--workspace', 'pages', ...more, ...bus.url()]);
    expect(code).toBe(0);
    return stdout === '' ? [] : jsonLines<{ seq: number }>(stdout).map(({ seq }) => seq);
  };
  expect(await view()).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
  expect(await view('--from', '255', '--to', '258')).toEqual([255, 256, 257, 258]);
  expect(await view('--subject', 'vak.dlq.pages.p1.failed', '--to', '6')).toEqual([2, 4, 6]);
  const got = await vak(['stream', 'get', 'VAK_DLQ_pages', '--seq', '300', ...bus.url()]);
  const { time, ...rest } = json<{ time: string }>(got.stdout);
  expect(rest).toEqual({ stream: 'VAK_DLQ_pages', seq: 300, subject: 'vak.dlq.pages.p1.failed', base64: '/wA=' });
  expect(await view('--to', '2020-01-01')).toEqual([]);
  expect((await view('--from', time)).at(-1)).toBe(600);
  expect((await view('--from', time))[0]).toBeLessThanOrEqual(300);
  const none = await vak(['stream', 'get', 'dlq', '--workspace', 'pages', '--seq', '601', ...bus.url()]);
  expect(none).toEqual({ code: 1, stdout: '', stderr: oneLine(/VAK_DLQ_pages: there is no message 601/) });
  const missing = await vak(['stream', 'view', 'no-such', ...bus.url()]);
  expect(missing).toEqual({ code: 1, stdout: '', stderr: oneLine(/stream no-such: there is no such stream/) });
}, 90_000);

test('B5 vak: many messages of a work queue are viewed without a word on stderr', async () => {
  await bus.provision('many');
  const fabric = await bus.connect();
  for (let i = 0; i < 300; i++) await fabric.durable.append('vak.work.many.q.task', new Uint8Array([i % 256]));
  await fabric.close();
  for (const stream of ['work', 'dlq']) {
    const { code, stderr } = await vak(['stream', 'view', stream, '--workspace', 'many', ...bus.url()]);
    expect([code, stderr]).toEqual([0, '']);
  }
}, 60_000);

test('vak: what every receiver would refuse is not published', async () => {
  await newSelf();
  await newSelf('--identity', 'watcher', '--kind', 'bot', '--role', 'observer');
  await bus.provision();
  const refused = async (...args: string[]): Promise<[number | null, string]> => {
    const { code, stdout, stderr } = await vak(['publish', ...args, ...bus.url()]);
    expect(stdout).toBe('');
    return [code, stderr.trimEnd().split('\n').at(-1) ?? ''];
  };
  const status = 'vak.events.default.self.status';
  expect(await refused('vak.events.default.somebody-e.status')).toEqual([
    2,
    expect.stringMatching(/write vak\.events\.default\.self\.status/),
  ]);
  expect(await refused(status, '--type', 'vak.other')).toEqual([
    2,
    expect.stringMatching(/--type: this subject carries vak\.events\.status/),
  ]);
  expect(await refused('vak.rooms.default.r.presence', '--sealed')).toEqual([
    2,
    expect.stringMatching(/--sealed: .*never sealed/),
  ]);
  expect(await refused('vak.work.other.q.task')).toEqual([2, expect.stringMatching(/--workspace other/)]);
  expect(await refused('vak.nothing.default.q.task')).toEqual([2, expect.stringMatching(/plane: /)]);
  expect(await refused('vak.work.default.q.task', '--data', task, '--identity', 'watcher')).toEqual([
    1,
    expect.stringMatching(/publish vak\.work\.default\.q\.task: watcher may not, its roles are observer/),
  ]);
  const text = ['--type', 'vak.agent.message', '--data', '{"kind":"text","text":"x"}'];
  expect(await refused('vak.agent.default.nobody.inbox', ...text)).toEqual([
    1,
    expect.stringMatching(/vak\.agent\.default\.nobody\.inbox: /),
  ]);
  program.switchProfile('empty');
  mkdirSync(program.profile);
  expect(await refused(status, '--data', '{"state":"started"}')).toEqual([2, expect.stringMatching(/vak id new/)]);
}, 90_000);

test('E8 vak: a payload that does not fit its type is refused with the field, and published with --no-check', async () => {
  await newSelf();
  await bus.provision();
  const count = async (): Promise<number> => {
    const { stdout } = await vak(['stream', 'view', 'work', '--subject', 'vak.work.default.unfit.task', ...bus.url()]);
    return stdout === '' ? 0 : jsonLines(stdout).length;
  };
  const unfit = ['publish', 'vak.work.default.unfit.task', '--sealed', '--data', '{"command":"true"}', ...bus.url()];
  expect(await vak(unfit)).toEqual({
    code: 2,
    stdout: '',
    stderr: oneLine(/--data: vak\.work\.task: command: .*; .*--no-check/),
  });
  const garbage = ['publish', 'vak.events.default.self.status', '--sealed', '--data', 'no JSON', ...bus.url()];
  expect(await vak(garbage)).toMatchObject({ code: 2, stderr: oneLine(/--data: vak\.events\.status: not valid JSON/) });
  expect(await count()).toBe(0);
  expect(await vak([...unfit, '--no-check'])).toMatchObject({ code: 0, stderr: '' });
  expect(await count()).toBe(1);
  const unknown = [
    'publish',
    'vak.agent.default.operator.inbox',
    '--type',
    'com.example.own',
    '--data',
    '{"command":1}',
  ];
  // Nobody listens to this inbox, which is asked only when the payload is taken.
  expect((await vak([...unknown, '--sealed', ...bus.url()])).stderr).toMatch(/vak\.agent\.default\.operator\.inbox: /);
}, 90_000);

test.each([
  ['any text, see a/b', 'any text, see a/b', 'text/plain; charset=utf-8'],
  ['long '.repeat(80), 'long '.repeat(80), 'text/plain; charset=utf-8'],
  ['[1, 2.50]', '[1, 2.50]', 'application/json'],
  ['-', 'from a pipe', 'text/plain; charset=utf-8'],
])(
  'vak: --data %j is published as it is',
  async (data, payload, datacontenttype) => {
    await newSelf();
    await bus.provision();
    const call = ['publish', 'vak.rooms.default.by-hand.messages', '--data', data, ...bus.url()];
    const { seq } = json<Published>((await vak(call, { stdin: 'from a pipe' })).stdout);
    const got = await vak(['stream', 'get', 'rooms', '--seq', String(seq), ...bus.url()]);
    const { envelope } = json<{ envelope: { data_base64: string; datacontenttype: string } }>(got.stdout);
    expect(Buffer.from(envelope.data_base64, 'base64').toString()).toBe(payload);
    expect(envelope.datacontenttype).toBe(datacontenttype);
  },
  60_000,
);

test('vak: a file of --data that is not there is bad usage', async () => {
  const ran = await vak(['publish', 'vak.rooms.default.r.messages', '--data', '/no/such/file', ...bus.url()]);
  expect(ran).toEqual({
    code: 2,
    stdout: '',
    stderr: oneLine(/--data: cannot read \/no\/such\/file: there is no such file/),
  });
});
