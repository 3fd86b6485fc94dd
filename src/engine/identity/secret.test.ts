import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import { createSecret, secretFromText } from './secret.ts';

it('I3 a secret never shows in a text, in JSON, in inspect, or as the cause of an error', () => {
  const secret = secretFromText('CANARY');
  const bytes = [...secret.reveal()].join(',');
  const error = new VakError('internal', `with ${secret}`, { cause: { secret } });
  const shown = [
    ...[String(secret), `${secret}`, secret.toString(), JSON.stringify({ secret }), JSON.stringify([secret])],
    ...[inspect(secret, { showHidden: true, depth: 9 }), inspect({ a: { b: [secret] } }, { depth: 9 })],
    ...[inspect(new Map([['k', secret]])), inspect(error, { depth: 9 }), JSON.stringify(error), String(error)],
    ...[
      Object.values(secret).map(String).join(),
      JSON.stringify(Object.entries(secret)),
      JSON.stringify({ ...secret }),
    ],
  ].join('\n');
  expect(shown).toContain('[secret]');
  expect(shown).not.toContain('CANARY');
  expect(shown).not.toContain(bytes);
  expect(shown).not.toContain(bytes.replaceAll(',', ', '));
  expect(() => structuredClone(secret)).toThrowError();
});

it('I3 disposing erases the bytes themselves, once and for all', () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const secret = createSecret(bytes);
  expect(secret.length).toBe(3);
  expect(secret.reveal()).toBe(bytes);
  secret.dispose();
  secret.dispose();
  expect([...bytes]).toEqual([0, 0, 0]);
  expect(secret.length).toBe(0);
  expect(() => secret.reveal()).toThrowError(/erased/);
});
