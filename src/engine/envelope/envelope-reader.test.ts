import { expect, it } from 'vitest';
import { createTrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { encodeVakRs } from '../../shared/protocol/vak-rs-codec.ts';
import { createEnvelopeReader } from './envelope-reader.ts';

it('B1 fan-out: the same bytes are read once, however many ask', () => {
  const reader = createEnvelopeReader();
  const { data } = createTrustedWorkspace().peer('w1').write({ state: 'done' });
  const reading = reader.read(data);
  expect(reading.kind).toBe('envelope');
  expect(reader.read(data)).toBe(reading);
  expect(reader.read(data.slice())).not.toBe(reading);
});

it('B2 what is remembered is bounded by bytes: large messages push out others', () => {
  const reader = createEnvelopeReader();
  const small = utf8('{"specversion":"1.0"}');
  const reading = reader.read(small);
  for (let index = 0; index < 9; index++) reader.read(new Uint8Array(1024 * 1024).fill(32));
  expect(reader.read(small)).not.toBe(reading);
});

it('E5 the form of the Rust crate is read up to 64 KiB: its numbers are dear, and it is only shown', () => {
  const reader = createEnvelopeReader();
  const peer = createTrustedWorkspace().peer('w1', { isSealing: false, isSigning: false });
  expect(reader.read(encodeVakRs(peer.write({ state: 'done' }).envelope)).kind).toBe('vak-rs');
  const large = peer.write({ state: 'done', text: 'x'.repeat(20_000) }).envelope;
  expect(reader.read(encodeVakRs(large))).toMatchObject({ kind: 'none' });
});
