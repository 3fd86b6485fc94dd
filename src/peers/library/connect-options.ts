/** Checks what a program asks `connect` for, and says it as the parts of the command line take it. */
import { z } from 'zod';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { roles } from '../../shared/protocol/roles.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import type { CliHost, CommonOptions, ConnectionOptions } from '../cli/command.ts';
import { checkUrl } from '../cli/connection-options.ts';
import { profileFolder } from '../cli/profile-folder.ts';
import type { ConnectOptions } from './library-api.ts';

const token = z.string().refine(isToken, 'expected 1–64 of A–Z a–z 0–9 _ -');
const path = z.string().min(1, 'expected a path, got an empty text');
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isSource = (value: unknown): boolean =>
  isFunction(value) || (isObject(value) && path.safeParse((value as { file?: unknown }).file).success);

const schema = z.strictObject({
  identity: token,
  roles: z.array(z.enum(roles)).optional(),
  queues: z.array(token).optional(),
  workspace: token.optional(),
  profile: path.optional(),
  passphrase: z.custom(isSource, 'expected {file: path} or a function').optional(),
  natsUrl: z.string().optional(),
  context: token.optional(),
  embedded: z.custom(isObject, 'expected what openEmbedded gave').optional(),
  creds: path.optional(),
  nkeyFile: path.optional(),
  tls: z.strictObject({ ca: path.optional(), cert: path.optional(), key: path.optional() }).optional(),
  onLog: z.custom(isFunction, 'expected a function').optional(),
  signal: z.custom((value) => value instanceof AbortSignal, 'expected an AbortSignal').optional(),
});

function refuse(message: string): never {
  throw new VakError('invalid-input', `connect: ${message}`);
}

/** What does not go together. */
function checkTogether({ natsUrl, context, creds, nkeyFile, tls, embedded, ...more }: ConnectOptions): void {
  const elsewhere = { profile: more.profile, passphrase: more.passphrase, natsUrl, context, creds, nkeyFile, tls };
  const [other] =
    Object.entries({ ...elsewhere, workspace: more.workspace }).find(([, one]) => one !== undefined) ?? [];
  if (embedded !== undefined && other !== undefined)
    refuse(`embedded, ${other}: an engine of this process has its own`);
  if (natsUrl !== undefined && context !== undefined) refuse('natsUrl, context: give one of them');
  if (creds !== undefined && nkeyFile !== undefined) refuse('creds, nkeyFile: give one of them');
  if ((tls?.cert === undefined) !== (tls?.key === undefined)) refuse('tls.cert, tls.key: give both, or neither');
}

/** An option that there is none of is named if it is a plain word: a slip of the pen, and no value of anything. */
function misfit(error: z.ZodError): string {
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  return unknown !== undefined && /^[A-Za-z]{1,32}$/.test(unknown)
    ? `${unknown}: there is no such option`
    : firstIssue(error);
}

/** Throws `invalid-input` that names the option. */
export function checkConnectOptions(options: unknown): ConnectOptions {
  const result = schema.safeParse(options);
  if (!result.success) return refuse(misfit(result.error));
  const checked = result.data as ConnectOptions;
  checkTogether(checked);
  if (checked.natsUrl !== undefined) checkUrl(checked.natsUrl, 'connect: natsUrl');
  return checked;
}

/** The options that every command has, as this connection has them. */
export function commonOf(
  { identity, workspace = 'default', profile, context, natsUrl, creds, nkeyFile, tls }: ConnectOptions,
  host: CliHost,
): CommonOptions & { readonly identity: string } {
  const connection: ConnectionOptions = {
    ...{ natsUrl, creds, nkeyFile },
    ...{ tlsCa: tls?.ca, tlsCert: tls?.cert, tlsKey: tls?.key },
  };
  const isProfileGiven = profile !== undefined;
  const folder = profileFolder(profile, host);
  const line = { profile: folder, isProfileGiven, workspace, identity, context, connection, typed: [] };
  return { ...line, changes: 'bus', doing: 'connect' };
}

/** Options of the command line, and what they are called here. */
const optionNames: readonly (readonly [RegExp, string])[] = [
  ['nats-url', 'natsUrl'],
  ['creds', 'creds'],
  ['nkey-file', 'nkeyFile'],
  ['tls-ca', 'tls.ca'],
  ['tls-cert', 'tls.cert'],
  ['tls-key', 'tls.key'],
  ['context', 'context'],
  ['workspace', 'workspace'],
  ['identity', 'identity'],
  ['profile', 'profile'],
].map(([option, name = '']) => [new RegExp(`--${option}(?![\\w-])`, 'g'), name] as const);

/** A text of a part of the command line, in the words of the library's options. */
export function inOptionWords(text: string): string {
  return optionNames.reduce((all, [option, name]) => all.replace(option, name), text);
}

/** A failure, as {@link inOptionWords} says it. */
export function inOwnWords(error: unknown): unknown {
  if (!(error instanceof VakError)) return error;
  const { code, message, retryable, details, cause } = error;
  const own = inOptionWords(message);
  if (own === message) return error;
  const field = details?.['field'];
  const named = typeof field === 'string' ? { ...details, field: inOptionWords(field) } : details;
  return new VakError(code, own, { retryable, cause, ...(named === undefined ? {} : { details: named }) });
}
