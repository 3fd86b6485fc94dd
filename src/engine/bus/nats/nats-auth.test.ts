import { NatsError } from 'nats';
import { expect, it } from 'vitest';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createNkeySeed } from '../../identity/nkey.ts';
import { createSecret, secretFromText } from '../../identity/secret.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import { expiryOf, openCredentials, readCreds } from './nats-auth.ts';
import { createNatsLogin } from './nats-login.ts';
import { defaultTiming } from './nats-options.ts';
import { backoffMs } from './nats-redial.ts';

const seed = 'SUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const creds = `-----BEGIN NATS USER JWT-----
eyJ0.eyJ1.sig
------END NATS USER JWT------

************************* IMPORTANT *************************
NKEY Seed printed below can be used to sign and prove identity.

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`;

const jwtThatEnds = (exp: unknown): string => `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.s`;

it('B9 a credentials file is read whatever ends its lines, with spaces about, and without a last line end', () => {
  const texts = [creds, creds.replaceAll('\n', '\r\n'), creds.replaceAll('\n', '  \r\n\t'), creds.trimEnd()];
  for (const text of [...texts, `\uFEFF${creds}`, creds.replaceAll('------END', '-----END')]) {
    const { jwt, seed: found } = readCreds(secretFromText(text));
    expect([toText(jwt.reveal()), found && toText(found.reveal())]).toEqual(['eyJ0.eyJ1.sig', seed]);
  }
});

it('B9 what is no credentials file says which part is missing, and shows nothing of it', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /no JWT/],
    [seed, /no JWT/],
    [creds.replace('USER NKEY SEED', 'USER SEED'), /no seed/],
    [creds + 'x'.repeat(64 * 1024), /longer than 65536 bytes/],
  ];
  for (const [text, why] of cases) {
    expect(() => readCreds(secretFromText(text))).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    expect(() => readCreds(secretFromText(text))).toThrow(why);
    expect(() => readCreds(secretFromText(text))).not.toThrow(new RegExp(seed));
  }
});

it('B9 A37 a JWT alone is read in its frame and without, and is no credentials by itself', () => {
  const jwt = 'eyJ0.eyJ1.sig';
  for (const text of [creds.slice(0, creds.indexOf('*****')), `${jwt}\n`, `  ${jwt}\r\n`]) {
    const read = readCreds(secretFromText(text));
    expect([toText(read.jwt.reveal()), read.seed]).toEqual([jwt, undefined]);
    expect(() => openCredentials({ kind: 'creds', text: secretFromText(text) })).toThrow(/no seed in it/);
  }
});

it('B9 opened credentials answer without the secret that they came from, which may be erased meanwhile', () => {
  const password = secretFromText('p');
  const open = openCredentials({ kind: 'password', user: 'u', password });
  password.dispose();
  expect(open.answer('nonce')).toEqual({ user: 'u', pass: 'p' });
  expect(() => openCredentials({ kind: 'token', token: password })).toThrow(
    expect.objectContaining({ code: 'locked' }),
  );
  expect(openCredentials(undefined).answer('nonce')).toBeUndefined();
  const broken = { kind: 'nkey', seed: createSecret(utf8('SUAAA')) } as const;
  expect(() => openCredentials(broken)).toThrow(expect.objectContaining({ code: 'invalid-payload' }));
});

it('B8 when a JWT ends is read from it; what cannot be read says nothing', () => {
  expect(expiryOf(jwtThatEnds(1_700_000_000))).toBe(1_700_000_000_000);
  for (const jwt of ['', 'a.b.c', 'h..s', jwtThatEnds('soon'), jwtThatEnds(0), `h.${btoa('null')}.s`])
    expect(expiryOf(jwt)).toBeUndefined();
});

it('B8 credentials are asked for before each try; two refusals in a row are final, expiry is not', async () => {
  const clock = createFakeClock();
  let asked = 0;
  const login = createNatsLogin(
    async () => {
      asked++;
      return { kind: 'token', token: secretFromText(`t${asked}`) };
    },
    clock,
    1_000,
  );
  await login.renew();
  await login.renew();
  expect(login.answer(undefined)).toEqual({ auth_token: 't2' });
  const refused = new VakError('unauthorized', 'no', { cause: new NatsError('', 'AUTHORIZATION_VIOLATION') });
  const expired = new VakError('unauthorized', 'no', { cause: new NatsError('', 'AUTHENTICATION_EXPIRED') });
  const gone = new VakError('disconnected', 'gone');
  expect([refused, gone, expired, refused].map((error) => login.isFinal(error))).toEqual([false, false, false, true]);
  login.restart(undefined);
  expect([refused, refused].map((error) => login.isFinal(error))).toEqual([false, true]);
  login.restart(new NatsError('', 'AUTHENTICATION_EXPIRED'));
  expect([refused, refused, refused].map((error) => login.isFinal(error))).toEqual([false, false, false]);
});

it('B8 whoever gives no credentials is not waited for without end, and what was shut is held no more', async () => {
  const clock = createFakeClock();
  const stuck = createNatsLogin(() => new Promise(() => {}), clock, 1_000);
  const opening = expect(stuck.renew()).rejects.toMatchObject({ code: 'timeout' });
  clock.advance(1_000);
  await opening;
  expect(clock.timerCount).toBe(0);
  const jwt = secretFromText(jwtThatEnds(1));
  const login = createNatsLogin({ kind: 'jwt', jwt, seed: createNkeySeed(createSeededRandomness(1)) }, clock, 1_000);
  await login.renew();
  expect(login.answer('nonce')).toMatchObject({ nkey: expect.stringMatching(/^U/), sig: expect.any(String) });
  login.shut();
  expect([login.answer('nonce'), login.hasExpired(), clock.timerCount]).toEqual([undefined, true, 0]);
});

it('B8 the pace: at once, then doubled up to the cap, within a quarter to either side', () => {
  const randomness = createSeededRandomness(7);
  const timing = { ...defaultTiming, backoffFromMs: 100, backoffCapMs: 1_000 };
  expect(backoffMs(1, timing, randomness)).toBe(0);
  for (const [attempt, whole] of [
    [2, 100],
    [3, 200],
    [4, 400],
    [5, 800],
    [6, 1_000],
    [1e9, 1_000],
  ] as const) {
    const waits = Array.from({ length: 50 }, () => backoffMs(attempt, timing, randomness));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.75 * whole);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.25 * whole);
    expect(new Set(waits).size).toBeGreaterThan(10);
  }
});
