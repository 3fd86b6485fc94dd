import { ErrorCode, NatsError } from 'nats';
import { expect, it } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import { isExpiry, toVakError } from './nats-errors.ts';
import { factsOf } from './nats-facts.ts';
import { internalsOf } from './nats-internals.ts';
import { readAddresses } from './nats-options.ts';

const codeOf = (code: string, isTlsDemanded?: boolean): string =>
  toVakError(Object.assign(new Error('secret text'), { code }), 'connect', isTlsDemanded).code;

it('B10 every code of the client library has one of the house, and no text is shown or read', () => {
  const unnamed = Object.values(ErrorCode).filter(
    (code) => toVakError(new NatsError('hunter2', code), 'connect').code === 'internal',
  );
  // These say nothing of themselves.
  expect(unnamed.toSorted()).toEqual(['JESTREAM_INVALID_ACK', 'REQUEST_ERROR', 'UNKNOWN_ERROR']);
  for (const code of Object.values(ErrorCode)) {
    expect(toVakError(new NatsError('hunter2', code), 'connect').message).not.toContain('hunter2');
  }
  expect(toVakError(new NatsError('no responders permissions violation', ErrorCode.Timeout), 'x').code).toBe('timeout');
});

it('B10 codes of the system and of TLS', () => {
  expect(['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE'].map((code) => codeOf(code))).toEqual([
    ...['disconnected', 'disconnected', 'timeout', 'disconnected'],
  ]);
  const tls = [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'TLS',
  ];
  expect(new Set(tls.map((code) => codeOf(code)))).toEqual(new Set(['tls-required']));
  expect([codeOf('SERVER_OPT_NA', true), codeOf('SERVER_OPT_NA'), codeOf('EISDIR')]).toEqual([
    ...['tls-required', 'unsupported', 'internal'],
  ]);
  for (const thrown of [null, undefined, 'text', 7, {}, { code: 7 }])
    expect(toVakError(thrown, 'x').code).toBe('internal');
});

it('B10 an error of JetStream goes by its number; an error of the house stays itself', () => {
  const error = new NatsError('wrong last sequence', 'BAD API');
  error.api_error = { code: 400, err_code: 10071, description: 'wrong last sequence' };
  expect(toVakError(error, 'append').code).toBe('conflict');
  const own = new VakError('locked', 'x');
  expect(toVakError(own, 'connect')).toBe(own);
});

it('B8 expiry is told from refusal by code', () => {
  const expired = ['AUTHENTICATION_EXPIRED', 'ACCOUNT_EXPIRED', 'AUTHORIZATION_VIOLATION', 'TIMEOUT'].map((code) =>
    isExpiry(new NatsError('', code)),
  );
  expect(expired).toEqual([true, true, false, false]);
});

it('B9 versions gate features, and the error says which is needed', () => {
  const server = { server_name: 'n1', version: '2.9.10', max_payload: 2_000_000, jetstream: true };
  const facts = factsOf(server);
  expect(facts).toMatchObject({ kind: 'nats', server: { name: 'n1', version: '2.9.10' }, maxMessageBytes: 1_048_576 });
  expect(facts.missing.map(({ feature, needs }) => `${feature}: ${needs}`)).toEqual([
    'consumers with several filters: nats-server 2.10.0 or later',
    'compressed streams: nats-server 2.10.0 or later',
    'reasons of terminated messages: nats-server 2.10.4 or later',
    'messages with a time to live: nats-server 2.11.0 or later',
    'batches of direct reads: nats-server 2.11.0 or later',
  ]);
  expect(factsOf({ ...server, version: '2.12.1', max_payload: 5 })).toMatchObject({ missing: [], maxMessageBytes: 5 });
  const { jetstream: _, ...plain } = server;
  expect(factsOf(plain).missing[0]).toEqual({ feature: 'streams', needs: 'JetStream enabled on the server' });
  const counts = ['2.8.4', '2.9.9', '2.10.0-beta.1', '2.10.4', 'v2.11.0', '3.0.0', 'dev', ''].map(
    (version) => factsOf({ ...server, version }).missing.length,
  );
  expect(counts).toEqual([8, 5, 3, 2, 0, 0, 8, 8]);
});

it('B9 an address is a host and a port; TLS is demanded by it or by certificates', () => {
  expect(readAddresses(['nats://a', 'nats://[::1]:4333', 'nats://1.2.3.4:80'], undefined)).toEqual({
    hosts: ['a:4222', '[::1]:4333', '1.2.3.4:80'],
    names: ['a', '::1', '1.2.3.4'],
    isTlsDemanded: false,
  });
  expect(readAddresses(['nats://a', 'tls://b'], undefined).isTlsDemanded).toBe(true);
  expect(readAddresses(['nats://a'], {}).isTlsDemanded).toBe(true);
  const codes = ['nats://u:hunter2@a', 'http://a', 'nats://a/path', 'a:4222', '', 'wss://a', 'ws://a'].map(
    (address) => {
      try {
        readAddresses([address], undefined);
      } catch (error) {
        expect((error as Error).message).not.toContain('hunter2');
        return (error as VakError).code;
      }
      return 'accepted';
    },
  );
  expect(codes).toEqual([...Array(5).fill('invalid-input'), 'unsupported', 'unsupported']);
  expect(() => readAddresses([], undefined)).toThrow(/none/);
});

it('B8 another inside of the client library than the one known is a fault that is found at once', () => {
  for (const client of [{}, { protocol: {} }, { protocol: { dodialLoop() {}, _doDial() {}, selectServer() {} } }])
    expect(() => internalsOf(client as never)).toThrow(/2\.29\.3/);
});
