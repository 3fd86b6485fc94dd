import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import type { OpenedPayload } from '../../shared/contract/trust-report.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import type { HeldMessage } from './message-buffer.ts';
import { createMessageParts } from './message-parts.ts';

const folder = mkdtempSync(join(tmpdir(), 'vak-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const context = { signal: new AbortController().signal };

function setUp(payload: OpenedPayload, data = new Uint8Array(10)) {
  const clock = createFakeClock();
  const path = join(folder, 'saved');
  const names: string[] = [];
  let opened = 0;
  const parts = createMessageParts({
    clock,
    async get(seq) {
      if (seq !== 7) throw new VakError('not-found', `message ${seq} has left`);
      return { seq, data } as HeldMessage;
    },
    open() {
      opened++;
      return payload;
    },
    prompt: {
      async chooseSaveFile({ defaultName }) {
        names.push(defaultName);
        return path;
      },
    },
  });
  return { parts, clock, path, names, openedCount: () => opened };
}

const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 7 + (at >> 8)) & 0xff);
const whole = { kind: 'opened', bytes, wasSealed: true } as const;

it('V8 a large payload comes as its beginning and in slices, which are its bytes, and is opened once for all of them', async () => {
  const { parts, clock, openedCount } = setUp(whole);
  const head = await parts.open({ seq: 7 }, context);
  if (head.kind !== 'opened') throw new Error('it does not open');
  expect([head.bytes.length, head.bytes.buffer.byteLength, head.sizeBytes]).toEqual([65_536, 65_536, 3_000_000]);
  const got = [Buffer.from(head.bytes)];
  for (let offset = 65_536; offset < head.sizeBytes; ) {
    const slice = await parts.slice({ seq: 7, part: 'payload', offset, length: 1_048_576 }, context);
    got.push(Buffer.from(slice));
    offset += slice.length;
  }
  expect(Buffer.concat(got).equals(bytes)).toBe(true);
  expect(openedCount()).toBe(2);
  clock.advance(10_001);
  await parts.slice({ seq: 7, part: 'payload', offset: 0, length: 1 }, context);
  expect(openedCount()).toBe(3);
});

it('V8 what is saved is the bytes as they are, of the message or of its payload', async () => {
  const message = Uint8Array.from([0, 255, 13, 10, 27]);
  const { parts, path, names } = setUp(whole, message);
  expect(await parts.save({ seq: 7, part: 'payload' }, context)).toEqual({ path, sizeBytes: 3_000_000 });
  expect(readFileSync(path).equals(bytes)).toBe(true);
  await parts.save({ seq: 7, part: 'message', stream: 'VAK_EVENTS_acme' }, context);
  expect(readFileSync(path).equals(message)).toBe(true);
  expect(names).toEqual(['message-7.payload', 'VAK_EVENTS_acme-7']);
});

it('V8 a slice behind the end, a message that has left and a payload that does not open say so', async () => {
  const failure = { kind: 'revoked-secret', why: 'its secret was revoked', culprit: null } as const;
  const { parts } = setUp({ kind: 'failed', failure });
  const slice = (input: { seq: number; part: 'message' | 'payload'; offset: number }) =>
    parts.slice({ ...input, length: 1 }, context);
  await expect(slice({ seq: 7, part: 'message', offset: 10 })).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(slice({ seq: 8, part: 'message', offset: 0 })).rejects.toMatchObject({ code: 'not-found' });
  await expect(slice({ seq: 7, part: 'payload', offset: 0 })).rejects.toThrow('its secret was revoked');
  expect(await parts.open({ seq: 7 }, context)).toEqual({ kind: 'failed', failure });
});
