/**
 * An operator, an account and users of nats-server for tests, as signed JWTs (NATS JWT version 2).
 * Law: keys are made anew for each; nothing is written to disk.
 */
import { createHash } from 'node:crypto';
import { createAccount, createOperator, createUser, type KeyPair } from 'nkeys.js';

interface TestUser {
  readonly jwt: string;
  /** `SU…` */
  readonly seed: string;
  /** Text of a `.creds` file. */
  readonly creds: string;
}

/** Subjects of nats-server; nothing given: all. */
interface JwtRights {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

interface JwtPermissions {
  readonly pub?: JwtRights;
  readonly sub?: JwtRights;
}

interface TestOperator {
  /** For `startNatsServer({config})`. */
  readonly config: string;
  /** Lives `livesMs`, or for ever. A JWT counts in whole seconds. `permissions` as a JWT has them. */
  createUser(livesMs?: number, permissions?: JwtPermissions): TestUser;
}

const base64Url = (text: string): string => Buffer.from(text).toString('base64url');

function signJwt(
  signer: KeyPair,
  claims: { readonly sub: string; readonly name: string; readonly exp?: number; readonly nats: object },
): string {
  const body = { ...claims, iat: Math.floor(Date.now() / 1000), iss: signer.getPublicKey() };
  const jti = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const signed = `${base64Url(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }))}.${base64Url(JSON.stringify({ ...body, jti }))}`;
  return `${signed}.${Buffer.from(signer.sign(Buffer.from(signed))).toString('base64url')}`;
}

const noLimits = { subs: -1, data: -1, payload: -1 };

export function createTestOperator(): TestOperator {
  const [operator, account] = [createOperator(), createAccount()];
  const operatorJwt = signJwt(operator, {
    ...{ sub: operator.getPublicKey(), name: 'test' },
    nats: { type: 'operator', version: 2 },
  });
  const accountJwt = signJwt(operator, {
    ...{ sub: account.getPublicKey(), name: 'test' },
    nats: {
      ...{ type: 'account', version: 2 },
      limits: { ...noLimits, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
    },
  });
  return {
    config: `operator: ${operatorJwt}\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: ${accountJwt} }\n`,
    createUser(livesMs, permissions = {}) {
      const user = createUser();
      const jwt = signJwt(account, {
        ...{ sub: user.getPublicKey(), name: 'test' },
        ...(livesMs === undefined ? {} : { exp: Math.ceil((Date.now() + livesMs) / 1000) }),
        nats: { ...{ type: 'user', version: 2 }, ...noLimits, ...permissions },
      });
      const seed = Buffer.from(user.getSeed()).toString('latin1');
      const frame = (name: string, text: string): string =>
        `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
      return { jwt, seed, creds: frame('NATS USER JWT', jwt) + frame('USER NKEY SEED', seed) };
    },
  };
}
