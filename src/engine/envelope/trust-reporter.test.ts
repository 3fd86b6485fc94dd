import { expect, it } from 'vitest';
import { createTrustedWorkspace, type TrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { TrustReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { encodeVakRs } from '../../shared/protocol/vak-rs-codec.ts';
import type { HeldMessage } from '../feeds/message-buffer.ts';
import { createTrustReporter } from './trust-reporter.ts';

function setUp() {
  const acme = createTrustedWorkspace();
  const { buffer, reader, intake, opener } = acme;
  const reporter = createTrustReporter({ buffer, reader, intake, opener });
  const report = (seq: number): TrustReport => reporter.report(buffer.get(seq) as HeldMessage);
  return { acme, report };
}

/** Takes three messages of a peer, the second one changed on its way. */
function takeThree(acme: TrustedWorkspace, change: (envelope: Envelope) => Partial<Envelope> = () => ({})) {
  const peer = acme.peer('w1');
  const sent = [1, 2, 3].map((index) => peer.write({ state: 'progress', detail: { reason: `step ${index}` } }));
  for (const [index, { subject, data }] of sent.entries()) {
    const envelope = decodeEnvelope(data);
    const way = index === 1 ? encodeEnvelope({ ...envelope, ...change(envelope) }) : data;
    acme.intake.take({ subject, data: way });
  }
  return sent.map(({ envelope }) => envelope) as [Envelope, Envelope, Envelope];
}

it('E9 E11 E13 reports a sound message whole: seal field by field, chain with its neighbours, signature, trace', () => {
  const { acme, report } = setUp();
  const [first, second] = takeThree(acme);
  const { seal, chain, signature, trace, marks, refusal, attributes } = report(2);
  expect(refusal).toBeNull();
  expect(marks).toEqual({ seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false });
  expect(seal).toMatchObject({
    kind: 'sealed',
    algorithm: 'AES-256-GCM',
    keyParts: { secretId: 's1', peer: 'w1', day: '20260102' },
    nonce: second.seal?.nonce,
    aad: `${second.id}:vak.events.status:acme:1`,
    failure: null,
  });
  expect(seal.kind === 'sealed' && seal.aadFields).toEqual([
    { name: 'id', value: second.id, isWrong: false },
    { name: 'type', value: 'vak.events.status', isWrong: false },
    { name: 'workspaceid', value: 'acme', isWrong: false },
    { name: 'seqnum', value: '1', isWrong: false },
  ]);
  expect(chain).toMatchObject({
    source: 'vak://acme/w1/w1-1-e',
    chainSeq: 1,
    prevHash: second.prevhash,
    verdict: { kind: 'ok' },
    isFirstSeen: false,
    why: 'Follows envelope 0 of its chain.',
    previous: { seq: 1, chainSeq: 0, leaf: second.prevhash, prevHash: first.prevhash },
    next: { seq: 3, chainSeq: 2 },
  });
  expect(chain?.next?.prevHash).toBe(chain?.leaf);
  expect(chain?.actualPayloadHash).toBe(chain?.payloadHash);
  expect(signature).toMatchObject({ kind: 'valid', peer: 'w1', signer: second.signed?.signer, roles: ['worker'] });
  expect(trace).toMatchObject({ version: '00', traceparent: second.traceparent, tracestate: null, causationId: null });
  expect(second.traceparent).toContain(`-${trace?.traceId}-${trace?.spanId}-`);
  expect(attributes.find(({ name }) => name === 'seqnum')).toEqual({ name: 'seqnum', value: '1', isExtension: false });
  expect(attributes.map(({ name }) => name)).toEqual(expect.arrayContaining(['specversion', 'keyid', 'signer']));
});

it.each([
  ['seqnum', { seqnum: 41 }, '1', 'signature'],
  ['type', { type: 'vak.events.tokens' }, 'vak.events.status', 'misplaced'],
])('E9 a changed %s is named as the field that is wrong, with the value that opens', (field, change, was, reason) => {
  const { acme, report } = setUp();
  takeThree(acme, () => change);
  const { seal, signature, refusal } = report(2);
  expect(seal).toMatchObject({ failure: { kind: 'tag-mismatch', culprit: field } });
  expect(seal.kind === 'sealed' && seal.failure?.why).toContain(was);
  expect(seal.kind === 'sealed' && seal.aadFields.filter(({ isWrong }) => isWrong).map(({ name }) => name)).toEqual([
    field,
  ]);
  expect(signature.kind).toBe('invalid');
  expect(refusal?.reason).toBe(reason);
});

it('E9 an id that was changed is not blamed on the secret: a forged message is never told as its sender signed it', () => {
  const { acme, report } = setUp();
  takeThree(acme, ({ id }) => ({ id: id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }));
  const { seal, signature } = report(2);
  expect(signature.kind).toBe('invalid');
  expect(seal).toMatchObject({ failure: { kind: 'tag-mismatch', culprit: 'id' } });
});

it('E9 changed ciphertext is named as what is wrong, with both hashes', () => {
  const { acme, report } = setUp();
  takeThree(acme, ({ data }) =>
    data.kind === 'bytes' ? { data: { kind: 'bytes', bytes: data.bytes.with(3, (data.bytes[3] as number) ^ 8) } } : {},
  );
  const { seal, chain, refusal, marks } = report(2);
  expect(seal).toMatchObject({ failure: { kind: 'tag-mismatch', culprit: 'ciphertext' } });
  expect(chain?.verdict).toEqual({ kind: 'forged-payload' });
  expect(chain?.actualPayloadHash).not.toBe(chain?.payloadHash);
  expect(refusal?.reason).toBe('chain');
  expect(marks).toMatchObject({ chain: 'forged-payload', seal: 'fails', isRefused: true });
  expect(report(3).chain).toMatchObject({ verdict: { kind: 'gap', from: 1, to: 1 }, previous: null });
});

it('I3 while locked the report says that it is the lock, and refuses nothing', () => {
  const { acme, report } = setUp();
  takeThree(acme);
  acme.secrets = undefined;
  const { seal, refusal } = report(2);
  expect(seal).toMatchObject({ failure: { kind: 'locked', culprit: null } });
  expect(refusal).toBeNull();
});

it('E2 what is no envelope is reported with its first wrong field', () => {
  const { acme, report } = setUp();
  acme.intake.take({ subject: 'vak.events.acme.x.status', data: utf8('{"specversion":"2.0"}') });
  expect(report(1)).toMatchObject({
    wire: 'none',
    malformed: { field: 'specversion' },
    attributes: [],
    seal: { kind: 'none' },
    chain: null,
    signature: { kind: 'none' },
    trace: null,
    payloadBytes: 21,
    refusal: { reason: 'malformed' },
  });
});

it('E5 a message of the Rust crate is shown for what it is', () => {
  const { acme, report } = setUp();
  const { envelope, subject } = acme.peer('w1', { isSealing: false, isSigning: false }).write({ state: 'done' });
  const data = encodeVakRs(envelope);
  acme.intake.take({ subject, data });
  const { wire, refusal, attributes } = report(1);
  expect({ wire, reason: refusal?.reason }).toEqual({ wire: 'vak-rs', reason: 'malformed' });
  expect(attributes.find(({ name }) => name === 'agentid')?.value).toBe('w1');
  expect(toText(data)).toContain('"lineage"');
});
