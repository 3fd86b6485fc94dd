import { describe, expect, test } from 'vitest';
import { authorWith, draftOf, goldenEnvelope } from '../../../tests/support/envelope-fixture.ts';
import { grantWith, root, signerOf } from '../../../tests/support/identity-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope, SignatureAttributes } from '../../shared/protocol/envelope.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { signatureInput } from '../../shared/protocol/signature-input.ts';
import { encodeNkey } from '../identity/nkey.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createSignerResolution } from '../identity/signer-resolution.ts';
import type { Stored } from '../ports/directory.ts';
import { createSignatureCheck, type NeededRoles, signEnvelope } from './envelope-signature.ts';
import { leafOf, payloadHashOf } from './hashing.ts';

const subject = 'vak.events.acme.ada-1-e.status';
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const one = authorWith().publish(draftOf('{"state":"started"}'), () => {});
const signedAs = (change: Partial<SignatureAttributes>): Envelope => {
  return { ...one, signed: { ...(one.signed as SignatureAttributes), ...change } };
};

const granted = (fields: Parameters<typeof grantWith>[0] = {}, storedMs = 0): Stored<Grant> => {
  return { record: grantWith({ roles: ['worker'], queues: ['build'], ...fields }), storedMs };
};

interface World {
  readonly grants?: readonly Stored<Grant>[];
  readonly needed?: NeededRoles;
  readonly atMs?: number;
  readonly isReplayed?: boolean;
}

/** Judges an envelope against grants; usually ada is granted `worker`, and the subject needs that. */
function check(envelope: Envelope, world: World = {}): SignatureReport {
  const { grants = [granted()], needed = { roles: ['worker'] }, atMs = nowMs, isReplayed = false } = world;
  const checks = createRecordChecks();
  const resolution = createSignerResolution({
    ...{ ws: 'acme', rootPublic: root.nkey, checks },
    directory: {
      grantedPeers: () => [...new Set(grants.map(({ record }) => record.peer))],
      grants: (peer) => grants.filter(({ record }) => record.peer === peer),
    },
    floor: { judge: () => (isReplayed ? 'replay' : 'known'), raise: () => {} },
  });
  const report = createSignatureCheck({ verifier: checks.verifier, resolution, rolesFor: () => needed }).check(
    envelope,
    subject,
    atMs,
  );
  if ('why' in report) expect(report.why).toMatch(/^\S.*\.$/);
  return report;
}

const whyOf = (report: SignatureReport): string => ('why' in report ? `${report.kind}: ${report.why}` : report.kind);

describe('E13 a signature', () => {
  test('E13 I4 of the granted key with the role that the subject needs is valid, and the report says who and why', () => {
    expect(check(one)).toEqual({
      kind: 'valid',
      signer: signerOf(1).nkey,
      peer: 'ada',
      roles: ['worker'],
      queues: ['build'],
      why: 'ada was granted worker (serial 1).',
    });
  });

  test('E13 an envelope without one is unsigned', () => {
    expect(check({ ...one, signed: undefined })).toEqual({ kind: 'unsigned' });
  });

  const changes: readonly [string, Partial<Envelope>][] = [
    ['id', { id: goldenEnvelope.id }],
    ['source', { source: 'vak://acme/ada/ada-2-e' }],
    ['type', { type: 'vak.events.tokens' }],
    ['time', { time: '2026-01-02T03:04:06.000Z' }],
    ['workspaceid', { workspaceid: 'other' }],
    ['agentid', { agentid: 'bob' }],
    ['seqnum', { seqnum: 1 }],
    ['prevhash', { prevhash: '1'.repeat(64) }],
    ['payloadhash', { payloadhash: '1'.repeat(64) }],
    ['subject', { subject: 'vak.events.acme.ada-1-e.tokens' }],
    ['datacontenttype', { datacontenttype: 'text/plain' }],
    ['sessionid', { sessionid: 'ada-2-e' }],
    ['parentagentid', { parentagentid: 'eve' }],
    ['causationid', { causationid: 'x' }],
    ['resumes', { resumes: `vak://acme/ada/ada-0-e#3:${'1'.repeat(64)}` }],
    ['traceparent', { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` }],
    ['tracestate', { tracestate: 'a=1' }],
    ['keyid', { seal: { ...(one.seal as NonNullable<Envelope['seal']>), keyid: 's1.ada.20260102.b2' } }],
    ['nonce', { seal: { ...(one.seal as NonNullable<Envelope['seal']>), nonce: '0'.repeat(24) } }],
    ['encalg, keyid, nonce', { seal: undefined }],
  ];

  test.each(changes)('E13 covers %s', (_, change) => {
    expect(whyOf(check({ ...one, ...change }))).toMatch(/^invalid: The signature does not verify/);
  });

  test('E13 the time may be written anew with other zeros only, as the leaf takes it', () => {
    const inSeconds = { ...one, time: '2026-01-02T03:04:05Z' };
    expect(leafOf(inSeconds)).toBe(leafOf(one));
    expect(check(inSeconds).kind).toBe('valid');
  });

  test('E13 another key that signs in the name of the granted one does not verify', () => {
    const forged = signEnvelope(one, signerOf(9)).signed?.signature ?? '';
    expect(whyOf(check(signedAs({ signature: forged })))).toMatch(/^invalid: The signature does not verify/);
  });

  test('E13 a signer that is no nkey, and one whose key is unsound, are told as such', () => {
    expect(whyOf(check(signedAs({ signer: `U${'A'.repeat(55)}` })))).toMatch(/^invalid: signer: expected a user nkey/);
    const smallOrder = encodeNkey(Uint8Array.from([1, ...new Uint8Array(31)]));
    const forged = signedAs({ signer: smallOrder, signature: `AQ${'A'.repeat(84)}` });
    expect(whyOf(check(forged))).toMatch(/^invalid: signer: the key is a point of small order/);
  });

  test('E13 a signature that is no base64url, or of another length, is told as such or does not verify', () => {
    expect(whyOf(check(signedAs({ signature: '+'.repeat(86) })))).toMatch(/^invalid: signature: not base64url/);
    expect(whyOf(check(signedAs({ signature: 'AAAA' })))).toMatch(/^invalid: The signature does not verify/);
  });

  test('E13 the signature is over the bytes of E13 and the leaf, nothing else', () => {
    const checks = createRecordChecks();
    const message = signatureInput(one, leafOf(one));
    const signature = Buffer.from(one.signed?.signature ?? '', 'base64url');
    expect(checks.verifier.verify({ publicKey: signerOf(1).publicKey, message, signature }, 'signer')).toBe(true);
    expect(signEnvelope({ ...one, signed: undefined }, signerOf(1)).signed).toEqual(one.signed);
  });

  test('E8 a signer that was erased signs nothing', () => {
    const signer = signerOf(3);
    signer.dispose();
    expect(() => signEnvelope(one, signer)).toThrow(expect.objectContaining({ code: 'locked' }));
  });
});

describe('I4 a signature counts only under a grant', () => {
  const bySerial = [granted({ roles: ['worker'] }, 0), granted({ roles: [], serial: 2 }, nowMs)];
  const verdicts: readonly [string, World, RegExp, readonly string[]][] = [
    ['no grant', { grants: [] }, /ada has no grant/, []],
    [
      'a grant of another key',
      { grants: [granted({ sign: signerOf(2).nkey })] },
      /not the one that ada was granted/,
      [],
    ],
    [
      'the key of another peer',
      { grants: [granted({ sign: signerOf(2).nkey }), granted({ peer: 'bob' })] },
      /that of bob, not of ada/,
      [],
    ],
    ['another role', { needed: { roles: ['operator'] } }, /needs operator; ada held worker/, ['worker']],
    ['another queue', { needed: { roles: ['worker'], queue: 'deploy' } }, /queue deploy/, ['worker']],
    ['a subject that no role may publish', { needed: { roles: [] } }, /No role lets ada publish on vak\./, ['worker']],
    ['an ended grant', { grants: [granted({ notAfter: 5 })] }, /ended at/, []],
    ['a revoked grant', { grants: bySerial }, /revoked/, []],
    ['a grant that was seen newer', { isReplayed: true }, /newer grant of ada was seen before/, []],
  ];

  test.each(verdicts)('I4 %s: invalid, with its cause', (_, world, why, roles) => {
    const report = check(one, world);
    expect(report).toMatchObject({ kind: 'invalid', signer: signerOf(1).nkey, peer: 'ada', roles });
    expect(whyOf(report)).toMatch(why);
  });

  test('I4 the grant in force at the given time counts, not the newest', () => {
    expect(check(one, { grants: bySerial, atMs: nowMs - 1 }).kind).toBe('valid');
  });

  test('I4 a worker of the queue that is asked for is valid', () => {
    expect(check(one, { needed: { roles: ['worker'], queue: 'build' } }).kind).toBe('valid');
  });

  test('I4 the roles are asked for the subject that it came on', () => {
    const asked: string[] = [];
    const checks = createRecordChecks();
    createSignatureCheck({
      verifier: checks.verifier,
      resolution: { resolveSigner: () => ({ kind: 'unknown', why: 'no.' }) },
      rolesFor(on) {
        asked.push(on);
        return { roles: ['worker'] };
      },
    }).check(one, 'vak.work.acme.build.task', nowMs);
    expect(asked).toEqual(['vak.work.acme.build.task']);
  });

  test.each([
    ['source', { source: 'vak://test' }, 'source names no peer'],
    ['source of another peer', { source: 'vak://acme/bob/ada-1-e' }, 'source and agentid do not name'],
    ['source of another workspace', { source: 'vak://other/ada/ada-1-e' }, 'source and workspaceid do not name'],
    ['source of another session', { source: 'vak://acme/ada/ada-9-e' }, 'source and sessionid do not name'],
  ] as const)('I4 A4 a soundly signed envelope whose sender is not one: %s', (_, change, why) => {
    expect(whyOf(check(signEnvelope({ ...one, ...change }, signerOf(1))))).toContain(`invalid: ${why}`);
  });

  test('E13 it speaks of the payload through payloadhash alone: a changed payload is the chain to tell', () => {
    const changed: Envelope = { ...one, data: { kind: 'bytes', bytes: utf8('other') } };
    expect(check(changed).kind).toBe('valid');
    expect(payloadHashOf(changed)).not.toBe(changed.payloadhash);
  });
});
