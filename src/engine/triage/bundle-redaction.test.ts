import { expect, test } from 'vitest';
import { utf8 } from '../../shared/base/bytes.ts';
import { createRedaction } from './bundle-redaction.ts';

/** A sequence of numbers below a bound, the same at each run. */
function createChance(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const chance = createChance(7);
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const some = (count: number, of = letters): string =>
  Array.from({ length: count }, () => of[chance(of.length)]).join('');
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const pick = <T>(list: readonly T[]): T => list[chance(list.length)] as T;

/** A text with a secret in it, and what of it must not be there any more. */
interface Planted {
  readonly text: string;
  readonly secret: string;
}

const planted: readonly (() => Planted)[] = [
  () => {
    const secret = `${some(64)}\n${some(64)}`;
    return {
      text: `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
      secret: secret.slice(0, 64),
    };
  },
  () => {
    const secret = some(64);
    return { text: `-----BEGIN PRIVATE KEY-----\n${secret}`, secret };
  },
  () => {
    const secret = some(64);
    return { text: `\n${secret}\n${some(20)}==\n-----END EC PRIVATE KEY-----`, secret };
  },
  () => {
    const secret = `SU${some(56, base32)}`;
    return { text: `seed ${secret}`, secret };
  },
  () => {
    const secret = `eyJ${some(20)}.${some(40)}.${some(43)}`;
    return { text: `got ${secret}`, secret };
  },
  () => {
    const secret = `AKIA${some(16, base32)}`;
    return { text: `using ${secret}`, secret };
  },
  () => {
    const secret = `ghp_${some(36)}`;
    return { text: `git clone with ${secret}`, secret };
  },
  () => {
    const secret = some(24);
    return { text: `Authorization: ${pick(['Bearer ', 'Basic ', 'token ', ''])}${secret}`, secret };
  },
  () => {
    const secret = some(24);
    return { text: `curl -H "bearer ${secret}"`, secret };
  },
  () => {
    const secret = some(20);
    return { text: `Set-Cookie: sid=${secret}; Path=/`, secret };
  },
  () => {
    const secret = `${some(6)}${pick(['', '/', '@', ':'])}${some(6)}`;
    return { text: `postgres://app:${secret}@db.example.com:5432/app?x=1`, secret };
  },
  () => {
    const secret = some(12);
    const name = pick([
      'password',
      'PGPASSWORD',
      'db_password',
      'clientSecret',
      'AWS_SECRET_ACCESS_KEY',
      'api-key',
      'x.token',
    ]);
    return { text: `${name}${pick(['=', ' = ', ': ', ' => '])}${pick(['', '"', "'"])}${secret}`, secret };
  },
  () => {
    const secret = `${some(6)} ${some(6)}`;
    return { text: `"password": "${secret}"`, secret };
  },
  () => {
    const secret = `${some(6)}\\"${some(6)}`;
    return { text: `{"user": "x", "password": "${secret}"}`, secret: secret.slice(-6) };
  },
  () => {
    const secret = some(12);
    return { text: `deploy --auth-token ${secret} --dry-run`, secret };
  },
  () => {
    const secret = some(12);
    return { text: `Server=db;Password=${secret};Database=x`, secret };
  },
  () => {
    const secret = pick([
      '4111111111111111',
      '5500005555555559',
      '378282246310005',
      '4242 4242 4242 4242',
      '6011-1111-1111-1117',
    ]);
    return { text: `card ${secret} 12/27`, secret };
  },
];

const around: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `job failed: ${text}\n    at run (/srv/app/run.js:10:2)`,
  (text) => JSON.stringify({ command: ['sh', '-c', text] }),
  (text) => JSON.stringify({ note: JSON.stringify({ inner: text }) }),
  (text) => JSON.stringify([{ env: { CONFIG: text, PATH: '/bin' } }]),
  (text) => `${'x'.repeat(200)} ${text} ${'y'.repeat(200)}`,
  (text) => JSON.stringify({ [text]: 1 }),
];

test('D11 no planted secret survives, wherever it stands, and each is counted', () => {
  for (const plant of planted) {
    for (const wrap of around) {
      for (let round = 0; round < 12; round++) {
        const { text, secret } = plant();
        const redaction = createRedaction();
        const left = redaction.text(wrap(text));
        for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) expect(left, wrap(text)).not.toContain(form);
        expect(
          Object.values(redaction.counts()).reduce((a, b) => a + b, 0),
          wrap(text),
        ).toBeGreaterThan(0);
      }
    }
  }
});

test('D11 what is called secret goes by its name in JSON, whatever it is; the rest stays digit for digit', () => {
  const redaction = createRedaction();
  const text =
    '{"command":["mysql","--password","hunter2","-h","db"], "size":18446744073709551615, "env":{"API_TOKEN":"a","tokens":{"x":12345},"PATH":"/bin"},"\\u0070assword":"b", "pin": 4111111111111111}';
  expect(redaction.text(text)).toBe(
    '{"command":["mysql","--password","[redacted: named]","-h","db"], "size":18446744073709551615, "env":{"API_TOKEN":"[redacted: named]","tokens":{"x":"[redacted: named]"},"PATH":"/bin"},"\\u0070assword":"[redacted: named]", "pin": "[redacted: card]"}',
  );
  expect(redaction.counts()).toEqual({ named: 4, card: 1 });
});

test('D11 what is no secret stays as it is', () => {
  for (const text of [
    'exit code 7 after 1732982400000 ms at 2026-11-30T16:45:11.123Z',
    'task 0197a3c0-0000-7000-8000-000000000001 on https://example.com:8443/a/b?c=1 of user@example.com',
    `leaf ${'a1'.repeat(32)} seq 4111111111111112`,
    'Unexpected token } in JSON at position 4; the password is wrong',
    'http://registry:4873/pkg@1.0 author: nobody, password=null',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '[redacted: named]',
  ]) {
    const redaction = createRedaction();
    expect(redaction.text(text)).toBe(text);
    expect(redaction.counts()).toEqual({});
  }
});

test('D11 what was taken out by its form is not taken out again by its name; what is stuck to it goes too', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const redacted = (text: string): string => createRedaction().text(text);
  expect(redacted(`password=hunter2 token=${token} end`)).toBe(
    'password=[redacted: named] token=[redacted: token] end',
  );
  expect(redacted(`token=${token}.hunter2 end`)).toBe('token=[redacted: named] end');
  expect(redacted('password=[redacted: x]hunter2 end')).toBe('password=[redacted: named] end');
  expect(redacted('password=trueblue99, pin=1')).toBe('password=[redacted: named] pin=1');
});

test('D11 bytes that are no text are left out whole; long texts of one sign are done in time', () => {
  const redaction = createRedaction();
  expect(redaction.bytes(Uint8Array.of(0xff, 0x41))).toBeUndefined();
  expect(redaction.bytes(utf8('token=abc'))).toBe('token=[redacted: named]');
  const begunMs = performance.now();
  for (const piece of [
    'a',
    '1',
    ' ',
    '\\',
    '"',
    'a=',
    '-----BEGIN PRIVATE KEY-----',
    'a://',
    'password=',
    '["',
    'token: "',
    '1 ',
    'a:b@',
  ]) {
    redaction.text(piece.repeat(200_000 / piece.length));
  }
  expect(performance.now() - begunMs).toBeLessThan(5_000);
});
