import { describe, expect, it } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { isVakError } from '../base/vak-error.ts';
import { checkPayload, decodePayload, isKnownType } from './payloads.ts';

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
});
