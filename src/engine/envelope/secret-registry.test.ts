import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entryOf, playSecrets } from '../../../tests/support/envelope-fixture.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import type { KeyLookup, SecretRegistry } from './secret-registry.ts';

const adaKey = 's1.ada.20260102.b1';

function keyOf(found: KeyLookup): string {
  return found.kind === 'key' ? found.key.export().toString('hex') : found.failure.kind;
}

function failureOf(found: KeyLookup) {
  if (found.kind === 'key') throw new Error('there is a key');
  expect(found.failure.why).toMatch(/^\S.*\.$|\)\.$/);
  return found.failure;
}

function sealingOf(registry: SecretRegistry): string {
  try {
    return registry.sealing().secretId;
  } catch (error) {
    if (!isVakError(error)) throw error;
    return error.code;
  }
}

describe('E7 the secret that a key id selects', () => {
  test('E7 it is the one of that id, whatever else there is', () => {
    const alone = keyOf(playSecrets([entryOf('s1')]).registry.keyFor(adaKey, 'ada'));
    const others = [entryOf('s0'), entryOf('s1'), entryOf('s2')];
    expect(keyOf(playSecrets(others).registry.keyFor(adaKey, 'ada'))).toBe(alone);
    expect(keyOf(playSecrets(others).registry.keyFor('s2.ada.20260102.b1', 'ada'))).not.toBe(alone);
  });

  test('E7 there is no trial decryption: an unknown id is unknown, although another secret might fit', () => {
    const { registry } = playSecrets([entryOf('s2')]);
    expect(failureOf(registry.keyFor(adaKey, 'ada'))).toMatchObject({ kind: 'unknown-secret', culprit: null });
    expect(failureOf(registry.keyFor(adaKey, 'ada')).why).toContain('s1');
  });

  test('E7 two peers never share a key, nor two days, nor two starts', () => {
    const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
    const part = fc.record({ peer: token, day: fc.constantFrom('20260102', '20260103'), boot: token });
    const { registry } = playSecrets([entryOf('s1')]);
    const keyFor = ({ peer, day, boot }: { peer: string; day: string; boot: string }) =>
      keyOf(registry.keyFor(`s1.${peer}.${day}.${boot}`, peer));
    fc.assert(
      fc.property(part, part, (one, other) => {
        const isSame = one.peer === other.peer && one.day === other.day && one.boot === other.boot;
        expect(keyFor(one) === keyFor(other)).toBe(isSame);
      }),
    );
  });

  test('P14 the keys of 2 000 senders stay ready, also past midnight, when each has another', () => {
    const { registry } = playSecrets([entryOf('s1')]);
    const keyIds = Array.from({ length: 4000 }, (_, at) => `s1.p${at % 2000}.2026010${at < 2000 ? 2 : 3}.b1`);
    const keys = () => keyIds.map((keyId, at) => registry.keyFor(keyId, `p${at % 2000}`));
    const found = keys().map((one) => (one.kind === 'key' ? one.key : undefined));
    expect(keys().every((one, at) => one.kind === 'key' && one.key === found[at])).toBe(true);
  });

  test('E7 a key id of another peer than agentid is malformed, and the field is named', () => {
    const { registry } = playSecrets([entryOf('s1')]);
    expect(failureOf(registry.keyFor(adaKey, 'bob'))).toMatchObject({ kind: 'malformed', culprit: 'keyid' });
    expect(failureOf(registry.keyFor('x'.repeat(193), 'bob'))).toMatchObject({ kind: 'malformed', culprit: 'keyid' });
  });

  test('E7 a key id of another form opens only through an alias, and the failure says how to set one', () => {
    const entries = [entryOf('s1')];
    const failure = failureOf(playSecrets(entries).registry.keyFor('key_v1', 'ada'));
    expect(failure.kind).toBe('foreign-key');
    expect(failure.why).toContain('--alias KEYID=ID');
    const aliased = playSecrets(entries, { aliases: new Map([['key_v1', 's1']]) }).registry;
    expect(aliased.keyFor('key_v1', 'anybody').kind).toBe('key');
    expect(keyOf(aliased.keyFor('key_v2', 'ada'))).toBe('foreign-key');
  });

  test('E7 an alias also wins over the secret that a key id of our form names, and the peer must still be agentid', () => {
    const aliases = new Map([[adaKey, 'env']]);
    const { registry } = playSecrets([entryOf('env')], { aliases });
    expect(registry.keyFor(adaKey, 'ada').kind).toBe('key');
    expect(keyOf(registry.keyFor(adaKey, 'bob'))).toBe('malformed');
    expect(keyOf(registry.keyFor('s1.ada.20260102.b2', 'ada'))).toBe('unknown-secret');
  });
});

test('E7 an alias that the operator sets, changes or takes away counts at once', () => {
  const secrets = playSecrets([entryOf('s1'), entryOf('s2')]);
  const found = (): unknown => {
    const lookup = secrets.registry.keyFor('key_v1', 'ada');
    return lookup.kind === 'key' ? lookup.key.export().toString('hex') : lookup.failure.kind;
  };
  expect(found()).toBe('foreign-key');
  secrets.alias(new Map([['key_v1', 's1']]));
  const first = found();
  secrets.alias(new Map([['key_v1', 's2']]));
  expect(new Set([first, found(), 'foreign-key']).size).toBe(3);
  secrets.alias(new Map());
  expect(found()).toBe('foreign-key');
});

describe('E7 states of a secret', () => {
  test('E7 a revoked secret opens nothing more, although its key was derived before', () => {
    const secrets = playSecrets([entryOf('s1')]);
    expect(secrets.registry.keyFor(adaKey, 'ada').kind).toBe('key');
    secrets.set([entryOf('s1', { state: 'revoked' })]);
    expect(failureOf(secrets.registry.keyFor(adaKey, 'ada')).kind).toBe('revoked-secret');
  });

  test('E7 open-only until T: up to T and no moment longer, although its key was derived before', () => {
    const clock = createFakeClock();
    const until = clock.now() + 1000;
    const entry = entryOf('s1', { state: 'open-only', openOnlyUntilMs: until });
    const { registry } = playSecrets([entry], { clock });
    clock.advance(999);
    expect(registry.keyFor(adaKey, 'ada').kind).toBe('key');
    clock.advance(1);
    const failure = failureOf(registry.keyFor(adaKey, 'ada'));
    expect(failure.kind).toBe('expired-secret');
    expect(failure.why).toContain(new Date(until).toISOString());
  });

  test('E7 open-only without an end opens for good, and seals nothing', () => {
    const clock = createFakeClock();
    const { registry } = playSecrets([entryOf('s1', { state: 'open-only' })], { clock });
    clock.advance(1e12);
    expect(registry.keyFor(adaKey, 'ada').kind).toBe('key');
    expect(sealingOf(registry)).toBe('not-found');
  });

  test('E7 locked is told as such, for opening and for sealing', () => {
    const secrets = playSecrets([entryOf('s1')]);
    expect(secrets.registry.keyFor(adaKey, 'ada').kind).toBe('key');
    secrets.set(undefined);
    expect(failureOf(secrets.registry.keyFor(adaKey, 'ada')).kind).toBe('locked');
    expect(sealingOf(secrets.registry)).toBe('locked');
  });

  test('E7 a secret that was erased meanwhile is locked, and nothing throws', () => {
    const entry = entryOf('s1');
    const { registry } = playSecrets([entry]);
    entry.secret.dispose();
    expect(failureOf(registry.keyFor(adaKey, 'ada')).kind).toBe('locked');
  });

  test('E7 sealed is with the newest active secret', () => {
    const secrets = playSecrets([entryOf('s1'), entryOf('s2'), entryOf('s3', { state: 'revoked' })]);
    expect(sealingOf(secrets.registry)).toBe('s2');
    secrets.set([entryOf('s1'), entryOf('s2', { state: 'open-only' })]);
    expect(sealingOf(secrets.registry)).toBe('s1');
  });
});

describe('E6 derived keys', () => {
  test('E6 the same key object is kept until the secrets change, or all is forgotten', () => {
    const secrets = playSecrets([entryOf('s1')]);
    const look = () => {
      const found = secrets.registry.keyFor(adaKey, 'ada');
      return found.kind === 'key' ? found.key : undefined;
    };
    const first = look();
    expect(look()).toBe(first);
    secrets.registry.forget();
    const second = look();
    expect(second).not.toBe(first);
    secrets.set([entryOf('s1')]);
    expect(look()).not.toBe(second);
    expect(look()?.equals(second ?? (first as NonNullable<typeof first>))).toBe(true);
  });

  test('E6 another secret under the same id gives another key at once', () => {
    const secrets = playSecrets([entryOf('s1')]);
    const before = keyOf(secrets.registry.keyFor(adaKey, 'ada'));
    secrets.set([{ ...entryOf('s1'), secret: entryOf('other').secret }]);
    expect(keyOf(secrets.registry.keyFor(adaKey, 'ada'))).not.toBe(before);
  });

  test('I3 neither the registry nor what it finds shows a secret', () => {
    const { registry } = playSecrets([entryOf('s1')]);
    const shown = inspect([registry, registry.keyFor(adaKey, 'ada'), registry.keyFor('key_v1', 'ada')], { depth: 9 });
    expect(shown).not.toContain('the secret called');
    expect(shown).not.toContain(keyOf(registry.keyFor(adaKey, 'ada')));
  });
});
