import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import {
  goldenPayload as payload,
  plainFields,
  sealedFields,
  goldenSecret as secret,
} from '../../../tests/support/golden-message.ts';
import { json, oneLine, prepareVak, type Self } from '../../../tests/support/vak-program.ts';

const program = prepareVak();
const { vak, newSelf, secretFile } = program;

// A profile that is named must be there.
beforeEach(() => mkdirSync(program.profile));

const withSecret = { VAK_WORKSPACE_SECRET: secret, VAK_PASSPHRASE_FILE: undefined };
const bare = { VAK_PASSPHRASE_FILE: undefined };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const aad = '0197a3c0-0000-7000-8000-000000000001:vak.work.task:ws_123:1';

const plain = JSON.stringify(plainFields);
const sealed = JSON.stringify(sealedFields);
const leafSealed = '34e13c659c7c080491d201e05831806bdc4cd1443a3f33404613c5e0dea98535';

interface Fields {
  readonly [name: string]: string;
}
interface Opened {
  readonly payload: unknown;
  readonly payload_base64: string | null;
  readonly keyid: string | null;
  readonly failure?: { readonly kind: string; readonly why: string; readonly culprit: string | null };
}
const opened = (text: string) => json<Opened>(text);
/** One bit of the payload flipped. */
const flipped = (fields: typeof sealedFields): string => {
  const bytes = Buffer.from(fields.data_base64, 'base64');
  bytes[3] = (bytes[3] as number) ^ 1;
  return JSON.stringify({ ...fields, data_base64: bytes.toString('base64') });
};

test('E6 vak envelope open: the golden value, with the secret of the environment and without any profile', async () => {
  const ran = await vak(['envelope', 'open', '--alias', 'key_v1=env'], {
    environment: withSecret,
    stdin: `${sealed}\n`,
  });
  expect(ran).toEqual({
    code: 0,
    stdout: `{"payload":${payload},"payload_base64":"${plainFields.data_base64}","bytes":39,"keyid":"key_v1","aad":"${aad}"}\n`,
    stderr: '',
  });
  const file = secretFile('workspace-secret', `${secret}\n`);
  const fromFile = { environment: { ...bare, VAK_WORKSPACE_SECRET_FILE: file }, stdin: sealed };
  expect((await vak(['envelope', 'open', '--alias', 'key_v1=env', '--json'], fromFile)).stdout).toBe(ran.stdout);
  expect(program.printed()).not.toContain(secret);
}, 60_000);

test('E9 vak envelope open: what does not open is exit 1 and says why', async () => {
  const open = (stdin: string, environment: Record<string, string | undefined>, ...args: string[]) =>
    vak(['envelope', 'open', ...args], { environment, stdin });
  const alias = ['--alias', 'key_v1=env'];
  const foreign = await open(sealed, withSecret);
  expect([foreign.code, opened(foreign.stdout).failure?.kind]).toEqual([1, 'foreign-key']);
  const none = await open(sealed, bare, ...alias);
  expect([none.code, opened(none.stdout).failure?.kind]).toEqual([1, 'unknown-secret']);
  const other = await open(sealed, { ...withSecret, VAK_WORKSPACE_SECRET: 'some-other-secret' }, ...alias);
  expect([other.code, opened(other.stdout).failure?.kind]).toEqual([1, 'tag-mismatch']);
  const tampered = await open(flipped(sealedFields), withSecret, ...alias);
  expect(opened(tampered.stdout)).toMatchObject({
    payload: null,
    payload_base64: null,
    failure: { kind: 'tag-mismatch', culprit: 'ciphertext' },
  });
  const moved = await open(JSON.stringify({ ...sealedFields, seqnum: '2' }), withSecret, ...alias);
  expect(opened(moved.stdout).failure).toMatchObject({ kind: 'tag-mismatch', culprit: 'seqnum' });
  expect([tampered.code, moved.code]).toEqual([1, 1]);
}, 60_000);

test('E3 vak envelope open: numbers come out digit for digit, and what is no JSON as base64', async () => {
  const big = '{ "n": 9007199254740993,\n "f": 1.10 }';
  const seal = async (text: string) =>
    vak(['envelope', 'seal'], {
      environment: withSecret,
      stdin: JSON.stringify({
        ...plainFields,
        data_base64: Buffer.from(text).toString('base64'),
        payloadhash: createHash('sha256').update(text).digest('hex'),
      }),
    });
  const open = async (text: string) =>
    vak(['envelope', 'open'], { environment: withSecret, stdin: (await seal(text)).stdout });
  expect((await open(big)).stdout).toMatch(/^\{"payload":\{ "n": 9007199254740993, {2}"f": 1\.10 \},"payload_base64":/);
  const binary = opened((await open('\u0001 not json')).stdout);
  expect([binary.payload, binary.payload_base64]).toEqual([null, Buffer.from('\u0001 not json').toString('base64')]);
  const unsealed = await vak(['envelope', 'open'], { environment: bare, stdin: plain });
  expect([unsealed.code, opened(unsealed.stdout).payload, opened(unsealed.stdout).keyid]).toEqual([
    0,
    json(payload),
    null,
  ]);
}, 60_000);

test('E10 vak envelope verify: the golden values', async () => {
  expect(await vak(['envelope', 'verify'], { environment: bare, stdin: sealed })).toEqual({
    code: 0,
    stdout: `{"ok":true,"wire":"cloudevents","leaf":"${leafSealed}","payloadhash":"${sealedFields.payloadhash}","payloadhashOk":true,"aad":"${aad}","sealed":true,"signature":{"state":"unsigned","grant":"not-judged"},"errors":[]}\n`,
    stderr: '',
  });
  expect(await vak(['envelope', 'verify', '--json'], { environment: bare, stdin: plain })).toEqual({
    code: 0,
    stdout: `{"ok":true,"wire":"cloudevents","leaf":"187ad0f81e3c94a978fcb8a6e224d6fd5127d6cba75f599c491c45b7aa1522b8","payloadhash":"${plainFields.payloadhash}","payloadhashOk":true,"sealed":false,"signature":{"state":"unsigned","grant":"not-judged"},"errors":[]}\n`,
    stderr: '',
  });
}, 60_000);

test('E2 vak envelope verify: what is wrong is named, exit 1', async () => {
  const verify = async (text: string) => {
    const ran = await vak(['envelope', 'verify'], { environment: bare, stdin: text });
    return [ran.code, json<Record<string, unknown>>(ran.stdout)] as const;
  };
  const own = { ...plainFields, source: 'vak://ws_123/somebody/s-1' };
  expect(await verify(flipped(sealedFields))).toEqual([
    1,
    expect.objectContaining({ ok: false, payloadhashOk: false, errors: [expect.stringMatching(/^payloadhash: /)] }),
  ]);
  expect(await verify(JSON.stringify(own))).toEqual([
    1,
    expect.objectContaining({
      ok: false,
      errors: [expect.stringMatching(/^agentid: /), expect.stringMatching(/^sessionid: /)],
    }),
  ]);
  const nothing = {
    leaf: null,
    payloadhash: null,
    payloadhashOk: false,
    sealed: false,
    signature: { state: 'unsigned', grant: 'not-judged' },
  };
  for (const [text, error] of [
    [JSON.stringify({ ...plainFields, seqnum: '01' }), /^seqnum: /],
    [plain.replace('"seqnum":"1"', '"seqnum":"1","seqnum":"1"'), /seqnum/],
    [JSON.stringify({ ...plainFields, specversion: '0.3' }), /^specversion: /],
    ['no json', /./],
    ['{"a":1', /./],
    ['[]', /./],
  ] as const) {
    expect(await verify(text)).toEqual([
      1,
      { ok: false, wire: 'unknown', ...nothing, errors: [expect.stringMatching(error)] },
    ]);
  }
}, 60_000);

/** A plain message of an own peer, unsigned. */
function ownMessage(peer: string, more: Fields = {}): Fields {
  return {
    ...plainFields,
    source: `vak://default/${peer}/s-1-d`,
    type: 'vak.audit.action',
    subject: `vak.audit.default.${peer}.action`,
    workspaceid: 'default',
    agentid: peer,
    sessionid: 's-1-d',
    traceparent,
    ...more,
  };
}

interface Verdict {
  readonly ok: boolean;
  readonly signature: { readonly state: string; readonly grant: string; readonly signer?: string };
  readonly errors: readonly string[];
}

test('E13 vak envelope seal --sign-as, verify: signed by the granted key, and judged with and without the profile', async () => {
  const self: Self = await newSelf();
  const sign = (fields: Fields, ...args: string[]) =>
    vak(['envelope', 'seal', '--sign-as', 'operator', ...args], { stdin: JSON.stringify(fields) });
  const verify = async (text: string, environment: Record<string, string | undefined> = {}) => {
    const ran = await vak(['envelope', 'verify'], { stdin: text, environment });
    return { code: ran.code, stderr: ran.stderr, ...json<Verdict>(ran.stdout) };
  };
  const made = await sign(ownMessage('operator'));
  expect([made.code, made.stderr]).toEqual([0, '']);
  const fields = json<Fields>(made.stdout);
  expect(fields).toMatchObject({ signer: self.sign, keyid: expect.stringMatching(/^s1\.operator\.\d{8}\./) });
  const valid = (grant: string) => ({ ok: true, signature: { state: 'valid', grant, signer: self.sign }, errors: [] });
  expect(await verify(made.stdout)).toMatchObject({ code: 0, stderr: '', ...valid('judged') });
  const locked = await verify(made.stdout, bare);
  const why = oneLine(/the grant is not judged: the key store is locked; with VAK_PASSPHRASE_FILE set/);
  expect(locked).toMatchObject({ code: 0, stderr: why, ...valid('not-judged') });
  const other = await vak(['envelope', 'verify', '--workspace', 'other'], { stdin: made.stdout });
  expect([other.code, other.stderr, json(other.stdout)]).toEqual([
    0,
    oneLine(/the grant is not judged: this profile does not belong to workspace other/),
    expect.objectContaining(valid('not-judged')),
  ]);
  const opening = await vak(['envelope', 'open'], { stdin: made.stdout });
  expect([opening.code, opened(opening.stdout).payload]).toEqual([0, json(payload)]);

  const changed = JSON.stringify({ ...fields, causationid: 'other' });
  expect(await verify(changed)).toMatchObject({
    code: 1,
    stderr: '',
    signature: { state: 'invalid', grant: 'not-judged', signer: self.sign },
    errors: [expect.stringMatching(/^signature: does not verify/)],
  });
  // The operator may say nothing on another peer's subject; without its grants nobody can tell.
  const elsewhere = await sign(ownMessage('operator', { subject: 'vak.audit.default.other.action' }));
  expect(await verify(elsewhere.stdout)).toMatchObject({
    code: 1,
    signature: { state: 'invalid', grant: 'judged' },
    errors: [expect.stringMatching(/^signer: No role lets operator publish/)],
  });
  expect(await verify(elsewhere.stdout, bare)).toMatchObject({ code: 0, signature: { state: 'valid' } });
  await newSelf('--identity', 'stranger', '--kind', 'process');
  const stranger = await vak(['envelope', 'seal', '--sign-as', 'stranger'], {
    stdin: JSON.stringify(ownMessage('stranger')),
  });
  expect(await verify(stranger.stdout)).toMatchObject({
    code: 1,
    signature: { state: 'unknown-signer' },
    errors: [expect.stringMatching(/^signer: stranger has no grant/)],
  });
  program.switchProfile('another');
  mkdirSync(program.profile);
  expect(await verify(made.stdout)).toMatchObject({
    stderr: oneLine(/the grant is not judged: there is no key store in this profile/),
    ...valid('not-judged'),
  });
  await newSelf();
  expect(await verify(made.stdout)).toMatchObject({ code: 1, signature: { state: 'unknown-signer' } });
}, 120_000);

test('E6 vak envelope seal: sealed with the secret that is chosen, hashed anew, and never the same twice', async () => {
  const seal = (...args: string[]) => vak(['envelope', 'seal', ...args], { environment: withSecret, stdin: plain });
  const [one, two] = [await seal('--secret', 'env'), await seal()];
  expect([one.code, one.stderr, two.code]).toEqual([0, '', 0]);
  const [first, second] = [json<Fields>(one.stdout), json<Fields>(two.stdout)];
  expect(first).toMatchObject({
    id: plainFields.id,
    datacontenttype: 'application/octet-stream',
    encalg: 'AES-256-GCM',
    keyid: expect.stringMatching(/^env\.agent_456\.\d{8}\.[0-9a-f]+$/),
  });
  expect(first['nonce']).not.toBe(second['nonce']);
  expect(first['keyid']).not.toBe(second['keyid']);
  const verdict = await vak(['envelope', 'verify'], { environment: bare, stdin: one.stdout });
  expect(json(verdict.stdout)).toMatchObject({ ok: true, payloadhashOk: true, sealed: true });
  const back = await vak(['envelope', 'open'], { environment: withSecret, stdin: one.stdout });
  expect(opened(back.stdout)).toMatchObject({ payload: json(payload), keyid: first['keyid'] });
  expect(program.printed()).not.toContain(secret);
}, 60_000);

test('E8 vak envelope seal: what it does not seal is refused with one line', async () => {
  const seal = (stdin: string, environment: Record<string, string | undefined>, ...args: string[]) =>
    vak(['envelope', 'seal', ...args], { environment, stdin });
  const refused = (code: number, text: RegExp) => ({ code, stdout: '', stderr: oneLine(text) });
  expect(await seal(sealed, withSecret)).toEqual(refused(2, /envelope: is sealed already/));
  const checkpoint = JSON.stringify({ ...plainFields, type: 'vak.audit.checkpoint' });
  expect(await seal(checkpoint, withSecret)).toEqual(refused(2, /envelope: its type is never sealed \(E8\): rooms /));
  const control = JSON.stringify({ ...plainFields, subject: 'vak.control.ws_123.rooms.join' });
  expect(await seal(control, withSecret)).toEqual(
    refused(2, /envelope: its subject is of a type that is never sealed \(E8\): /),
  );
  for (const type of ['vak.rooms.log', 'vak.keys.package', 'vak.control.join', 'vak.audit.void']) {
    expect(await seal(JSON.stringify({ ...plainFields, type }), withSecret)).toEqual(
      refused(2, /envelope: its type is /),
    );
  }
  for (const subject of ['orders.new', 'vak.work.ws_123.builds.tsk', 'vak.work.ws_123.builds', 'vak.none.ws_123.a.b']) {
    const ran = await seal(JSON.stringify({ ...plainFields, subject }), withSecret);
    expect(ran, subject).toEqual(refused(2, /envelope: subject fits no row of the fabric \(S4\)/));
  }
  const changed = JSON.stringify({ ...plainFields, data_base64: Buffer.from('{}').toString('base64') });
  expect(await seal(changed, withSecret)).toEqual(
    refused(2, /envelope: payloadhash is 1cb55820e735…, its payload hashes to 44136fa355b3…: /),
  );
  expect(await seal(plain, withSecret, '--secret', 's9')).toEqual(
    refused(2, /--secret: no such secret here, there are env/),
  );
  expect(await seal(plain, bare)).toEqual(refused(2, /--secret: no such secret here, there is none/));
  expect(await seal(plain, withSecret, '--secret', 'a.b')).toEqual(refused(2, /--secret: /));
  const bad = JSON.stringify({ ...plainFields, id: 'x' });
  expect(await seal(bad, withSecret)).toEqual(refused(2, /id: /));
  expect(await seal(plain, withSecret, '--sign-as', 'operator')).toEqual(
    refused(2, /this profile has no workspace default/),
  );
  await newSelf();
  expect(await seal(JSON.stringify(ownMessage('operator')), {}, '--sign-as', 'nobody')).toEqual(
    refused(2, /--sign-as: .*none of this name/),
  );
  const signed = await seal(JSON.stringify(ownMessage('operator')), {}, '--sign-as', 'operator');
  expect(await seal(signed.stdout, {})).toEqual(refused(2, /envelope: is sealed already/));
  expect(await seal(plain, {}, '--sign-as', 'operator')).toEqual(refused(2, /envelope: is not one of operator/));
}, 60_000);

test('E7 vak envelope: the secrets of the profile are used beside that of the environment, which counts as the newest', async () => {
  await newSelf();
  const message = JSON.stringify(ownMessage('operator'));
  const stored = await vak(['envelope', 'seal'], { stdin: message });
  expect(json<Fields>(stored.stdout)['keyid']).toMatch(/^s1\./);
  const given = { VAK_WORKSPACE_SECRET: secret };
  const newest = await vak(['envelope', 'seal'], { stdin: message, environment: given });
  expect(json<Fields>(newest.stdout)['keyid']).toMatch(/^env\./);
  const open = (stdin: string, environment: Record<string, string | undefined>) =>
    vak(['envelope', 'open'], { stdin, environment });
  for (const one of [stored, newest]) expect((await open(one.stdout, given)).code).toBe(0);
  const elsewhere = await open(newest.stdout, {});
  expect(opened(elsewhere.stdout).failure?.kind).toBe('unknown-secret');
  // A passphrase cannot be asked for: stdin is the envelope.
  expect(await open(stored.stdout, bare)).toEqual({
    code: 2,
    stdout: '',
    stderr: oneLine(/VAK_PASSPHRASE_FILE: is not set/),
  });
  const locked = await open(newest.stdout, { ...given, ...bare });
  expect([locked.code, locked.stderr]).toEqual([0, oneLine(/the key store is locked/)]);
}, 60_000);

test('E5 vak envelope convert: to the form of the Rust crate and back; verify knows both', async () => {
  const to = async (wire: string, stdin: string) =>
    vak(['envelope', 'convert', '--to', wire], { environment: bare, stdin });
  const traced = JSON.stringify({ ...sealedFields, traceparent });
  const rust = await to('vak-rs', traced);
  expect([rust.code, rust.stderr]).toEqual([0, '']);
  expect(json(rust.stdout)).toMatchObject({
    lineage: { workspace_id: 'ws_123', origin_agent_id: 'agent_456', seq_num: 1 },
    encrypted: true,
    encryption: { algorithm: 'AES-256-GCM', key_id: 'key_v1', nonce_hex: '000102030405060708090a0b' },
  });
  const verdict = await vak(['envelope', 'verify'], { environment: bare, stdin: rust.stdout });
  expect(json(verdict.stdout)).toMatchObject({ ok: true, wire: 'vak-rs', leaf: leafSealed, aad });
  const back = json<Fields>((await to('cloudevents', rust.stdout)).stdout);
  expect(back).toMatchObject({ id: sealedFields.id, data_base64: sealedFields.data_base64, keyid: 'key_v1' });
  const big = plain.replace(/"data_base64":"[^"]*"/, '"data":{"n":9007199254740993}');
  expect((await to('cloudevents', big)).stdout).toContain('"data":{"n":9007199254740993}');
  expect(await to('vak-rs', sealed)).toEqual({ code: 1, stdout: '', stderr: oneLine(/traceparent: missing/) });
  for (const args of [['--to', 'xml'], ['--to', 'toString'], []]) {
    const ran = await vak(['envelope', 'convert', ...args], { environment: bare, stdin: plain });
    expect(ran).toEqual({ code: 2, stdout: '', stderr: oneLine(/--to: allowed: cloudevents, vak-rs/) });
  }
}, 60_000);
