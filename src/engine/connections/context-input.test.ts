import { describe, expect, it } from 'vitest';
import { checkContextInput } from './context-input.ts';

const given = { name: 'prod', kind: 'remote', url: 'tls://a:4222,nats://b', colour: 'red', isReadOnly: true } as const;

describe('what may become a context', () => {
  it('is one with a name, a kind, a colour, and servers if it is remote', () => {
    expect(() => checkContextInput(given)).not.toThrow();
    expect(() => checkContextInput({ ...given, kind: 'managed', url: null })).not.toThrow();
  });

  it.each([
    ['name', { name: 'bad name!' }],
    ['name', { name: 'é' }],
    ['name', { name: 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY' }],
    ['kind', { kind: 'embeded' }],
    ['colour', { colour: 'pink' }],
    ['url', { url: null }],
    ['url', { url: '' }],
    ['url', { url: 'http://host' }],
    ['url', { url: 'nats://user:swordfish@host' }],
    ['url', { url: 'nats://a,wss://b' }],
  ])('is refused at its %s: %o', (field, change) => {
    const refusal = expect(() => checkContextInput({ ...given, ...change }));
    refusal.toThrow(expect.objectContaining({ code: 'invalid-input', details: { field } }));
    refusal.not.toThrow(/bad name|SUACS|swordfish/);
  });
});
