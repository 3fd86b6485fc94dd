/**
 * What the client library, the socket and the server throw, as errors of the house (protocol.md B10).
 * Law: translated by code or class, never by text; nothing of what was thrown is shown but its code.
 */
import { ErrorCode as NatsCode, NatsError } from 'nats';
import { type ErrorCode, isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { jetStreamError } from './nats-plane-errors.ts';

interface Meaning {
  readonly code: ErrorCode;
  readonly text: string;
  readonly retryable?: boolean;
}

const lost: Meaning = {
  code: 'disconnected',
  text: 'the server cannot be reached; check that it runs and its address',
  retryable: true,
};
const late: Meaning = { code: 'timeout', text: 'the server did not answer in time', retryable: true };
const ended: Meaning = { code: 'closed', text: 'the connection is closed' };
const refused: Meaning = { code: 'unauthorized', text: 'the server refuses these credentials; check them' };
const expired: Meaning = { code: 'unauthorized', text: 'the credentials have expired; renew them' };
const denied: Meaning = {
  code: 'unauthorized',
  text: 'the server does not let these credentials; see vak acl explain',
};
const badInput: Meaning = { code: 'invalid-input', text: 'the client does not take this' };
/** TLS did not come about, so nothing was said at all. */
const withoutTls = (text: string): Meaning => ({ code: 'tls-required', text: `${text}; nothing was sent in clear` });
const tlsFailed = withoutTls('TLS could not be agreed on: check the address and the certificates');
const noTls = withoutTls('the address asks for TLS and the server does not offer it');
/** Where no TLS was asked for the library is not told of any, and it fails as soon as the server wants it. */
const wantsTls = withoutTls('the server demands TLS; begin its address with tls://');
const unknownAuthority = withoutTls('the server’s certificate is of an authority that is not trusted; give its CA');
const wrongName = withoutTls('the server’s certificate is for another name; check the address');
const outOfDate = withoutTls('the server’s certificate is not valid at this time; renew it, or check the clock');

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  [NatsCode.ConnectionRefused, lost],
  [NatsCode.Disconnect, lost],
  [NatsCode.ConnectionTimeout, late],
  [NatsCode.Timeout, late],
  [NatsCode.AuthenticationTimeout, { ...late, text: 'the server waited too long for the credentials' }],
  [NatsCode.ConnectionClosed, ended],
  [NatsCode.ConnectionDraining, ended],
  [NatsCode.SubClosed, ended],
  [NatsCode.SubDraining, ended],
  [NatsCode.AuthorizationViolation, refused],
  [NatsCode.BadAuthentication, refused],
  [NatsCode.BadCreds, { code: 'invalid-input', text: 'the credentials file cannot be read' }],
  [NatsCode.AuthenticationExpired, expired],
  [NatsCode.AccountExpired, { ...expired, text: 'the account has expired; renew it' }],
  [NatsCode.PermissionsViolation, denied],
  [NatsCode.MaxPayloadExceeded, { code: 'limit-exceeded', text: 'larger than the server takes; send less' }],
  [NatsCode.NoResponders, { code: 'no-responders', text: 'nobody listens there', retryable: true }],
  [NatsCode.Cancelled, { code: 'aborted', text: 'cancelled' }],
  [NatsCode.ServerOptionNotAvailable, { code: 'unsupported', text: 'the server does not offer what is asked for' }],
  [NatsCode.Tls, tlsFailed],
  [NatsCode.WssRequired, tlsFailed],
  [NatsCode.ProtocolError, { code: 'disconnected', text: 'the server ended the connection', retryable: true }],
  [NatsCode.BadSubject, { code: 'invalid-subject', text: 'no subject' }],
  [NatsCode.BadPayload, { code: 'invalid-payload', text: 'no bytes' }],
  [NatsCode.BadJson, { code: 'invalid-payload', text: 'the server’s answer cannot be read' }],
  [NatsCode.BadHeader, { code: 'invalid-payload', text: 'a header cannot be read' }],
  [NatsCode.InvalidPayload, { code: 'invalid-payload', text: 'no bytes' }],
  [NatsCode.InvalidOption, badInput],
  [NatsCode.NotFunction, badInput],
  [NatsCode.ApiError, badInput],
  [NatsCode.JetStream404NoMessages, { code: 'not-found', text: 'there is no such message' }],
  [NatsCode.JetStream408RequestTimeout, late],
  [NatsCode.JetStream409, { code: 'conflict', text: 'the consumer refuses this now' }],
  [NatsCode.JetStreamIdleHeartBeat, { ...late, text: 'the server’s heartbeat has stopped' }],
  // Of the operating system.
  ['ECONNREFUSED', lost],
  ['ECONNRESET', lost],
  ['ECONNABORTED', lost],
  ['EPIPE', lost],
  ['EHOSTUNREACH', lost],
  ['EHOSTDOWN', lost],
  ['ENETUNREACH', lost],
  ['ENETDOWN', lost],
  ['EADDRNOTAVAIL', lost],
  ['ETIMEDOUT', late],
  ['ENOTFOUND', { ...lost, text: 'there is no such host; check the address' }],
  ['EAI_AGAIN', { ...lost, text: 'the host’s name cannot be looked up now' }],
  // Of TLS (Node's names of OpenSSL's and BoringSSL's verdicts).
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownAuthority],
  ['CERT_UNTRUSTED', unknownAuthority],
  ['CERT_SIGNATURE_FAILURE', unknownAuthority],
  ['INVALID_CA', unknownAuthority],
  ['INVALID_PURPOSE', tlsFailed],
  ['ERR_TLS_CERT_ALTNAME_INVALID', wrongName],
  ['HOSTNAME_MISMATCH', wrongName],
  ['CERT_HAS_EXPIRED', outOfDate],
  ['CERT_NOT_YET_VALID', outOfDate],
]);

/** Codes after which the same credentials cannot work, whoever is asked. */
const expiryCodes: readonly string[] = [NatsCode.AuthenticationExpired, NatsCode.AccountExpired];

function codeOf(thrown: unknown): string | undefined {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function meaningOf(code: string): Meaning | undefined {
  const known = meanings.get(code);
  if (known !== undefined) return known;
  // Classes of Node's codes: OpenSSL's own, and TLS's.
  return /^ERR_(SSL|TLS|OSSL)_|^CERT_|^CRL_/.test(code) || code === 'EPROTO' ? tlsFailed : undefined;
}

/** Whether the server says that credentials ran out, as against that they are wrong. */
export function isExpiry(thrown: unknown): boolean {
  return expiryCodes.includes(codeOf(thrown) ?? '');
}

/** One side asks for TLS and the other has none. */
function disagreement(code: string, isTlsDemanded: boolean | undefined): Meaning | undefined {
  if (isTlsDemanded === true && code === NatsCode.ServerOptionNotAvailable) return noTls;
  return isTlsDemanded === false && code === NatsCode.Tls ? wantsTls : undefined;
}

/**
 * What was thrown while doing something ("publish vak.…", "connect"), as an error of the house.
 * `isTlsDemanded`, while connecting: whether the address asks for TLS.
 * What has no known code is a fault of the program: it is given back as `internal`.
 */
export function toVakError(thrown: unknown, doing: string, isTlsDemanded?: boolean): VakError {
  if (isVakError(thrown)) return thrown;
  if (thrown instanceof NatsError && thrown.api_error !== undefined) {
    const { code = 0, err_code = 0 } = thrown.api_error;
    return jetStreamError({ code, err_code }, doing);
  }
  const code = codeOf(thrown);
  const meaning = code === undefined ? undefined : (disagreement(code, isTlsDemanded) ?? meaningOf(code));
  if (code === undefined || meaning === undefined) {
    return new VakError('internal', `${doing}: the client failed in a way that has no name`, { cause: thrown });
  }
  return new VakError(meaning.code, `${doing}: ${meaning.text}`, {
    retryable: meaning.retryable ?? false,
    details: { reason: code },
    cause: thrown,
  });
}

/** Whether the client has a certificate to show, where TLS is demanded. */
export type ClientCertificate = 'shown' | 'missing' | 'no-tls';

const early = 'connect: the server ended the connection before it let this client in';

/**
 * A server that ends the connection before it has let the client in. After TLS was agreed on it mostly misses a certificate of the
 * client, or does not trust the one that it was shown (TLS 1.3 tells so only then); a server that ends itself looks the same as the latter.
 */
export function endedEarly(certificate: ClientCertificate): VakError {
  if (certificate === 'missing') {
    const text = 'connect: the server ended the connection after TLS; it may ask for a client certificate';
    return new VakError('tls-required', text);
  }
  const hint = certificate === 'shown' ? '; it may not trust the client certificate that it was shown' : '';
  return new VakError('disconnected', `${early}${hint}`, { retryable: true });
}

/** A subject that the server refuses to these credentials. */
export function deniedError(operation: 'publish' | 'subscribe', subject: string): VakError {
  return new VakError('unauthorized', `${operation} ${subject}: ${denied.text}`, { details: { operation, subject } });
}
