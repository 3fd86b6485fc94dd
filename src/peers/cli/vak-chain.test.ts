import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProfilePeer } from '../../../tests/support/profile-worker.ts';
import { jsonLines, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { createEmbeddedFabric } from '../../engine/bus/memory/embedded-fabric.ts';
import { provision } from '../../engine/bus/provision.ts';
import { leafOf } from '../../engine/envelope/hashing.ts';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSilentLogger } from '../../engine/ports/logger.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';

const program = prepareVak();
const ports = { clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() };
const { vak, start } = program;

interface Fields {
  readonly [name: string]: string;
}
interface Line {
  readonly line?: number;
  readonly verdict?: string;
  readonly [name: string]: unknown;
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const leafOfFields = (fields: Fields): string => leafOf(decodeEnvelope(utf8(JSON.stringify(fields))));

function envelopeAt(seq: number, prevhash: string, payload: string, more: Fields = {}): Fields {
  return {
    specversion: '1.0',
    id: `0197a3c0-0000-7000-8000-${String(seq).padStart(12, '0')}`,
    source: 'vak://ws/w1/s-1-d',
    type: 'vak.audit.action',
    time: '2026-01-02T03:04:05Z',
    datacontenttype: 'application/json',
    data_base64: Buffer.from(payload).toString('base64'),
    workspaceid: 'ws',
    agentid: 'w1',
    sessionid: 's-1-d',
    seqnum: String(seq),
    prevhash,
    payloadhash: sha256(payload),
    ...more,
  };
}

/** A sound chain of `count` envelopes from its beginning. */
function chainOf(count: number, more: Fields = {}): Fields[] {
  const chain: Fields[] = [];
  for (let seq = 0; seq < count; seq++) {
    const before = chain.at(-1);
    chain.push(envelopeAt(seq, before === undefined ? '0'.repeat(64) : leafOfFields(before), `{"n":${seq}}`, more));
  }
  return chain;
}

const ndjson = (chain: readonly Fields[]): string => chain.map((one) => `${JSON.stringify(one)}\n`).join('');
const at = (chain: readonly Fields[], seq: number): Fields => chain[seq] as Fields;

async function verify(stdin: string) {
  const { code, stdout, stderr } = await vak(['chain', 'verify', '--json'], { stdin });
  expect(stderr).toBe('');
  const lines = jsonLines<Line>(stdout);
  return {
    code,
    links: lines.slice(0, -1),
    verdicts: lines.slice(0, -1).map(({ verdict }) => verdict),
    summary: lines.at(-1),
  };
}

const sound = { ok: true, sources: 1, gaps: 0, missing: 0, uncounted: 0, unseen: 0, broken: 0, malformed: 0 };

test('E11 vak chain verify: a sound chain, from stdin and from a file', async () => {
  const chain = chainOf(3);
  const { code, links, summary } = await verify(ndjson(chain));
  expect(code).toBe(0);
  expect(links).toEqual(
    chain.map((one, seq) => {
      return { line: seq + 1, source: one['source'], seq, verdict: 'ok', isFirst: seq === 0, leaf: leafOfFields(one) };
    }),
  );
  expect(summary).toEqual({ ...sound, envelopes: 3, sound: 3 });
  const file = join(program.folder, 'chain.ndjson');
  writeFileSync(file, `\n${ndjson(chain).trimEnd()}`);
  const shown = await vak(['chain', 'verify', file]);
  expect(shown).toEqual({
    code: 0,
    stdout: `2  vak://ws/w1/s-1-d#0  ok\n3  vak://ws/w1/s-1-d#1  ok\n4  vak://ws/w1/s-1-d#2  ok\nok  envelopes 3, sources 1, broken 0, missing 0, unseen 0\n`,
    stderr: '',
  });
}, 60_000);

test('E12 vak chain verify: a chain that names one which is not there says so', async () => {
  const former = chainOf(2);
  const resumes = `vak://ws/w1/s-1-d#1:${leafOfFields(at(former, 1))}`;
  const later = [envelopeAt(0, '0'.repeat(64), '{}', { source: 'vak://ws/w1/s-2-d', sessionid: 's-2-d', resumes })];
  expect((await verify(ndjson([...former, ...later]))).summary).toMatchObject({ ok: true, sources: 2, unseen: 0 });
  expect((await verify(ndjson(later))).summary).toMatchObject({ ok: true, sources: 1, unseen: 1 });
}, 60_000);

test('E11 vak chain verify: each way to break a chain has its verdict, and is exit 1', async () => {
  const chain = chainOf(4);
  const [zero, one, two, three] = [at(chain, 0), at(chain, 1), at(chain, 2), at(chain, 3)];
  const broken = async (lines: readonly Fields[], verdicts: readonly string[], summary: Line) => {
    const answer = await verify(ndjson(lines));
    expect([answer.code, answer.verdicts]).toEqual([1, verdicts]);
    expect(answer.summary).toMatchObject({ ok: false, ...summary });
    return answer;
  };
  const payload = { ...one, data_base64: Buffer.from('{"n":9}').toString('base64') };
  await broken([zero, payload, two], ['ok', 'forged-payload', 'gap'], { broken: 1, missing: 1 });
  await broken([zero, envelopeAt(1, 'f'.repeat(64), '{}')], ['ok', 'forged-link'], { broken: 1 });
  await broken([zero, one, envelopeAt(1, leafOfFields(zero), '{"other":1}')], ['ok', 'ok', 'fork'], { broken: 1 });
  await broken([zero, one, one], ['ok', 'ok', 'reordered'], { broken: 1 });
  await broken([envelopeAt(0, 'f'.repeat(64), '{}')], ['forged-link'], { broken: 1 });
  const gap = await broken([zero, three], ['ok', 'gap'], { broken: 0, gaps: 1, missing: 2 });
  expect(gap.links[1]).toMatchObject({ from: 1, to: 2 });
}, 60_000);

test('E12 vak chain verify: chains of several sources are told apart; loss in -e counts, a void does not', async () => {
  const ephemeral = chainOf(4, { source: 'vak://ws/w1/s-1-e', sessionid: 's-1-e' });
  const durable = chainOf(2);
  const mixed = [at(ephemeral, 0), at(durable, 0), at(ephemeral, 1), at(durable, 1), at(ephemeral, 2)];
  expect(await verify(ndjson(mixed))).toMatchObject({ code: 0, summary: { ...sound, sources: 2, envelopes: 5 } });
  const lossy = await verify(ndjson([at(ephemeral, 0), at(ephemeral, 3)]));
  expect(lossy).toMatchObject({ code: 1, summary: { ok: false, gaps: 1, missing: 2 } });
  // Begun in the middle: what came before is not known.
  expect(await verify(ndjson([at(ephemeral, 2), at(ephemeral, 3)]))).toMatchObject({ code: 0, summary: sound });

  const refused = envelopeAt(2, leafOfFields(at(durable, 1)), '{"refused":true}');
  const record = { source: refused['source'], seq: 2, leaf: leafOfFields(refused), reason: 'too large' };
  const voided = envelopeAt(3, leafOfFields(refused), JSON.stringify(record), { type: 'vak.audit.void' });
  const answer = await verify(ndjson([...durable, voided]));
  expect(answer).toMatchObject({
    code: 0,
    verdicts: ['ok', 'ok', 'void'],
    summary: { ok: true, gaps: 0, missing: 0, broken: 0 },
  });
}, 60_000);

test('E2 vak chain verify: a line that does not decode is malformed, says why, and the rest is read on', async () => {
  const chain = chainOf(2);
  const long = `{"pad":"${'x'.repeat(1024 * 1024)}"}`;
  const text = `${JSON.stringify(chain[0])}\n\nno json\n${long}\n${JSON.stringify(chain[1])}`;
  const { code, links, verdicts, summary } = await verify(text);
  expect([code, verdicts]).toEqual([1, ['ok', 'malformed', 'malformed', 'ok']]);
  expect(links[1]).toEqual({ line: 3, verdict: 'malformed', why: expect.stringMatching(/./) });
  expect(links[2]).toEqual({ line: 4, verdict: 'malformed', why: 'line: more than 1048576 bytes' });
  expect(summary).toMatchObject({ ok: false, envelopes: 2, malformed: 2, broken: 2 });
  expect(await verify('')).toMatchObject({ code: 0, summary: { ok: true, envelopes: 0, sources: 0 } });
}, 60_000);

test('E11 vak chain verify: a file that cannot be read is one line; closed output and signals are no fault', async () => {
  expect(await vak(['chain', 'verify', '/no/such/file'])).toEqual({
    code: 2,
    stdout: '',
    stderr: oneLine(/FILE: cannot read \/no\/such\/file: there is no such file/),
  });
  expect(await vak(['chain', 'verify', program.folder])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: oneLine(/FILE: .* is a folder/),
  });
  const file = join(program.folder, 'long.ndjson');
  writeFileSync(file, ndjson(chainOf(300)));
  const command = `'${process.execPath}' '${program.programs.vak}' --profile '${program.profile}' chain verify`;
  for (const call of [`${command} '${file}'`, `cat '${file}' | ${command}`]) {
    const { stderr, stdout } = await start('/bin/sh', ['-c', `{ ${call}; echo "code $?" >&2; } | head -n 1`], {});
    expect([stdout, stderr]).toEqual(['1  vak://ws/w1/s-1-d#0  ok\n', 'code 0\n']);
  }
  const interrupted = await vak(['chain', 'verify'], {
    isInputOpen: true,
    onStart: (child) => {
      child.stdout?.once('data', () => child.kill('SIGINT'));
      child.stdin?.write(`${JSON.stringify(at(chainOf(1), 0))}\n`);
    },
  });
  expect(interrupted).toEqual({ code: 4, stdout: '1  vak://ws/w1/s-1-d#0  ok\n', stderr: oneLine(/interrupted/) });
}, 60_000);

test('E11 vak chain verify: whatever its order, what is there is not missing', async () => {
  const chain = chainOf(1200);
  const backwards = await verify(ndjson(chain.toReversed()));
  expect(backwards.summary).toMatchObject({ envelopes: 1200, missing: 0, uncounted: 0 });
  // 7 and 1200 have no divisor in common: every line comes once, all over the chain.
  const scattered = chain.map((_, n) => at(chain, (n * 7) % 1200)).filter(({ seqnum }) => seqnum !== '600');
  expect((await verify(ndjson(scattered))).summary).toMatchObject({ ok: false, envelopes: 1199, missing: 1 });
}, 60_000);

test('E11 vak chain verify: a pipe that is named is refused at once, and stdin is read from one', async () => {
  const pipe = join(program.folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(await vak(['chain', 'verify', pipe])).toEqual({
    code: 2,
    stdout: '',
    stderr: oneLine(/FILE: .* is no ordinary file; give it on stdin \(< FILE\)/),
  });
  expect(await vak(['id', 'restore', pipe])).toMatchObject({ code: 2, stderr: oneLine(/FILE: /) });
  const file = join(program.folder, 'piped.ndjson');
  writeFileSync(file, ndjson(chainOf(2)));
  const command = `'${process.execPath}' '${program.programs.vak}' chain verify`;
  const piped = await start('/bin/sh', ['-c', `cat '${file}' > '${pipe}' & ${command} < '${pipe}'`]);
  expect(piped).toMatchObject({ code: 0, stderr: '' });
}, 60_000);

/** What the operator of the profile published: four actions, the checkpoint of them in their midst, one a line as it was stored. */
async function publishedChain(): Promise<readonly string[]> {
  const own = await openProfilePeer(program.profile, 'operator', () =>
    createEmbeddedFabric({ ...ports, folder: undefined, durability: 'written' }),
  );
  try {
    const { durable } = own.fabric;
    await provision(durable, 'default');
    const publish = async (verb: string, payload: object) => {
      const draft = { subject: `vak.audit.default.operator.${verb}`, payload: utf8(JSON.stringify(payload)) };
      const { envelope } = await own.peer.publish({ ...draft, trace: startTrace(ports.randomness.bytes) });
      return envelope;
    };
    const action = { operationId: 'o1', action: 'archive', target: 't', scope: 's', count: 1, outcome: 'done' };
    const envelopes = [
      await publish('action', action),
      await publish('action', action),
      await publish('action', action),
    ];
    const last = envelopes.at(-1) as (typeof envelopes)[number];
    const { source, seqnum: seq, time: at } = last;
    await publish('checkpoint', { source, seq, head: leafOf(last), at });
    await publish('action', action);
    const streams = await Promise.all(
      ['AUDIT', 'CHAIN'].map((kind) => durable.stream(`VAK_${kind}_default`).read({ limit: 100 })),
    );
    return streams.flatMap(({ messages }) => messages.map(({ data }) => toText(data)));
  } finally {
    await own.close();
  }
}

test('E14 what lies in a chain is proven to the next signed checkpoint, and checked by whoever knows the signer', async () => {
  await program.newSelf();
  const lines = await publishedChain();
  const stdin = `${lines.join('\n')}\nno envelope\n`;
  const proven = await vak(['chain', 'prove', '--seq', '1'], { stdin });
  expect([proven.code, proven.stderr]).toEqual([0, '']);
  const proof = program.secretFile('proof.json', proven.stdout);
  const second = program.secretFile('second.json', lines[1] ?? '');
  const check = async (...args: string[]) => {
    const { code, stdout } = await vak(['chain', 'check', ...args, '--json']);
    return { code, ...(JSON.parse(stdout) as Line) };
  };
  expect(await check(proof, '--envelope', second)).toMatchObject({
    ...{ code: 0, ok: true, from: 1, to: 2, at: 1, signature: 'valid', errors: [] },
  });
  const first = program.secretFile('first.json', lines[0] ?? '');
  expect(await check(proof, '--envelope', first)).toMatchObject({
    ...{ code: 1, ok: false, at: null, errors: [expect.stringContaining('not among what it proves')] },
  });
  const changed = JSON.parse(proven.stdout) as { leaves: string[] };
  const [one = '', ...rest] = changed.leaves;
  const bytes = Buffer.from(one, 'base64');
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  const forged = { ...changed, leaves: [bytes.toString('base64'), ...rest] };
  expect(await check(program.secretFile('forged.json', JSON.stringify(forged)))).toMatchObject({
    ...{ code: 1, errors: [expect.stringContaining('do not follow each other')] },
  });
  program.switchProfile('stranger');
  await program.newSelf();
  expect(await check(proof)).toMatchObject({ code: 1, ok: false });
});

test('E14 what a proof lacks is said: the place, the checkpoint, what lies between; what is no proof is refused', async () => {
  await program.newSelf();
  const lines = await publishedChain();
  const prove = (seq: string, input: readonly (string | undefined)[]) =>
    vak(['chain', 'prove', '--seq', seq], { stdin: input.join('\n') });
  const [first, second, third, , checkpoint] = lines;
  expect(await prove('9', lines)).toMatchObject({ code: 1, stderr: oneLine(/chain prove: place 9 of a chain is not/) });
  expect(await prove('0', [first, second, third])).toMatchObject({
    code: 1,
    stderr: oneLine(/chain prove: no checkpoint/),
  });
  expect(await prove('0', [first, third, checkpoint])).toMatchObject({
    code: 1,
    stderr: oneLine(/chain prove: place 1 of/),
  });
  expect(await prove('x', lines)).toMatchObject({ code: 2, stderr: oneLine(/--seq: the place/) });
  const none = program.secretFile('none.json', '{"kind":"proof"}');
  expect(await vak(['chain', 'check', none])).toMatchObject({ code: 2, stderr: oneLine(/PROOF: it is none/) });
});
