/** Grants and peers over a real profile whose operator is ada: what goes into the outbox is kept. */
import { type AccessService, createAccessService } from '../../src/engine/identity/access-service.ts';
import { createKnownGrants } from '../../src/engine/work/known-grants.ts';
import { createOperatorRight, type OperatedEngine } from '../../src/engine/work/operator-right.ts';
import { toText } from '../../src/shared/base/bytes.ts';
import { type ErrorCode, VakError } from '../../src/shared/base/vak-error.ts';
import { createCallContext } from './call-context.ts';
import type { IdentityApp, Started } from './identity-app.ts';
import { testWorkspace } from './test-profile.ts';

type Calls = AccessService['calls'];

export interface AccessApp {
  readonly app: Started;
  readonly service: AccessService;
  readonly calls: {
    readonly [K in keyof Calls]: (input?: Parameters<Calls[K]>[0]) => Promise<Awaited<ReturnType<Calls[K]>>>;
  };
  /** What was put on record. */
  readonly record: readonly { readonly subject: string; readonly action: Readonly<Record<string, unknown>> }[];
  /** Whether the context in use is read-only; why the outbox refuses. */
  readonly world: { isReadOnly: boolean; refusal: ErrorCode | undefined };
  changes(): number;
  end(): Promise<void>;
}

/** Starts it over an app that has had its first start. */
export function startAccess(at: IdentityApp, app: Started): AccessApp {
  const { clock, randomness, logger } = at.profiles;
  const { profile, service: identity } = app;
  const { keyStore, records } = profile;
  const world: AccessApp['world'] = { isReadOnly: false, refusal: undefined };
  const record: { subject: string; action: Record<string, unknown> }[] = [];
  let changes = 0;
  const engine = (): OperatedEngine => ({
    readOnlyContext: world.isReadOnly ? 'prod' : undefined,
    fabric: {} as OperatedEngine['fabric'],
  });
  const root = { current: () => keyStore.read().workspaces[0]?.rootPublic };
  const { resolve } = createKnownGrants(records, root);
  const service = createAccessService(
    { clock, randomness, logger, prompt: at.prompt, profile: { keyStore, records } },
    {
      identity,
      right: createOperatorRight({ workspace: testWorkspace, engine, keyStore, resolve, clock }),
      connection: { current: () => 'local' },
      outbox: {
        async publish({ subject, payload }) {
          if (world.refusal !== undefined) throw new VakError(world.refusal, 'publish: refused');
          record.push({ subject, action: JSON.parse(toText(payload)) as Record<string, unknown> });
        },
      },
      onChange: () => changes++,
    },
  );
  const context = createCallContext();
  const calls = Object.fromEntries(
    Object.entries(service.calls).map(([name, run]) => [
      name,
      async (input: unknown = {}) => await (run as (...args: unknown[]) => unknown)(input, context),
    ]),
  ) as AccessApp['calls'];
  return {
    ...{ app, service, calls, record, world },
    changes: () => changes,
    async end() {
      await service.settled();
      service.dispose();
      await at.end(app);
    },
  };
}
