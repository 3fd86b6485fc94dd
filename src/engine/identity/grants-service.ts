/**
 * What the operator grants and revokes as the workspace's root, and its own card anew (protocol.md I1, I4, R14).
 * Law: who does not hold the root is told so before anything is on record; what is done stands in the signed record, before and after.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { Clock } from '../ports/clock.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { OperatorRight } from '../work/operator-right.ts';
import { draftAction } from '../work/purge-records.ts';
import type { VerifiedGrant } from './grants.ts';
import { checkKeyIsFree } from './key-owner.ts';
import type { KeyStore } from './key-store.ts';
import { cardOf, rotateBoxKey, updateAndErase } from './operator-identity.ts';
import { highestGrantSerial, publishCard, publishGrant } from './own-records.ts';
import { whyBlocked } from './recipient-check.ts';
import { checkInputToken, type GrantRequest, grant, revokeGrant } from './root-grants.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

type Calls = Pick<Services<AppContract>['access'], 'grant' | 'revoke' | 'renewCard'>;
type Action = PayloadOf<'vak.audit.action'>;

export interface GrantsServiceDeps {
  readonly keyStore: Pick<KeyStore, 'read' | 'update'>;
  readonly records: WorkspaceRecords;
  readonly right: OperatorRight;
  /** Name of the context in use. */
  readonly environment: () => string;
  /** Puts a draft into the operator's outbox; resolves when it is on disk. */
  readonly publish: (draft: EnvelopeDraft) => Promise<unknown>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

function scopeOf({ roles, queues, notAfter }: Pick<GrantRequest, 'roles' | 'queues' | 'notAfter'>): string {
  const of = queues.length > 8 ? `${queues.length} queues` : queues.join(', ');
  const until = notAfter === 0 ? 'without end' : `until ${new Date(notAfter * 1000).toISOString()}`;
  return `${roles.join(', ')}${queues.length === 0 ? '' : ` of ${of}`}, ${until}`;
}

/** Creates the calls; one after the other, so that serials rise. */
export function createGrantsService(deps: GrantsServiceDeps): Calls {
  const { keyStore, records, right, environment, publish, clock, randomness } = deps;
  const { workspace: ws } = records;
  const lane = createSerialLane();

  function checkEnvironment(doing: string, meant: string | undefined): void {
    if (meant === undefined || meant === environment()) return;
    throw new VakError('conflict', `${doing}: the connection was changed meanwhile; look again`, {
      details: { field: 'environment' },
    });
  }

  /** Does it between two records: that it began, and how it ended. */
  async function onRecord(
    by: string,
    said: Pick<Action, 'action' | 'target' | 'scope' | 'reason'>,
    act: () => Promise<void>,
  ) {
    const operationId = createUuid(clock, randomness);
    const tell = async (outcome: string): Promise<void> => {
      const { reason, ...rest } = said;
      const action = { operationId, ...rest, count: 1, outcome, ...(reason === undefined ? {} : { reason }) };
      await publish(draftAction(action, { workspace: ws, peer: by, trace: startTrace(randomness.bytes) }));
    };
    await tell('begun');
    try {
      await act();
    } catch (error) {
      await tell(`failed: ${isVakError(error) ? error.code : 'internal'}`);
      throw error;
    }
    await tell('done');
  }

  const newestOf = (peer: string): VerifiedGrant | undefined =>
    records.timelines(keyStore.read())(peer).grants.at(-1)?.grant;

  const targetOf = (peer: string) => ({
    ...{ contents: keyStore.read(), workspace: ws, peer, clock },
    seenSerial: highestGrantSerial(ws, peer, records),
  });

  /** The key that is granted is one that was seen as this peer's. */
  function checkKey(peer: string, sign: string): void {
    const pin = records.pins.find({ ws, peer });
    const own = keyStore.read().identities.find((one) => one.peer === peer);
    const known = own === undefined ? (pin?.card.sign ?? newestOf(peer)?.sign) : cardOf(own, ws).sign;
    const why = own === undefined && pin !== undefined ? whyBlocked(pin) : undefined;
    if (why !== undefined) throw new VakError('forbidden', `grant ${peer}: ${why}; settle that among the peers first`);
    if (known === sign) return;
    const what =
      known === undefined
        ? 'no card of it was seen here; add its card first'
        : 'this is not the key that is known of it';
    throw new VakError('invalid-input', `grant ${peer}: ${what}`, { details: { field: 'sign' } });
  }

  /** An operator that took its own role could give it back to nobody, not even to itself. */
  function checkNotOneself(
    doing: string,
    { peer, by, roles }: { peer: string; by: string; roles: readonly string[] },
  ): void {
    if (peer !== by || roles.includes('operator')) return;
    const message = `${doing}: ${peer} is you, and without the role operator you could grant nothing any more; keep it`;
    throw new VakError('invalid-input', message, { details: { field: 'roles' } });
  }

  return {
    grant: ({ peer, sign, roles, queues, notAfter, environment: meant }) =>
      lane.run(() =>
        right.run('grant', async ({ peer: by }) => {
          checkInputToken(peer, 'peer');
          checkEnvironment('grant', meant);
          checkKey(peer, sign);
          checkKeyIsFree({ peer, sign, contents: keyStore.read() }, records);
          checkNotOneself('grant', { peer, by, roles });
          const wanted = { roles, queues, notAfter };
          const made = grant({ ...targetOf(peer), sign, ...wanted });
          await onRecord(by, { action: 'grant.add', target: peer, scope: scopeOf(wanted) }, () =>
            publishGrant(made, records),
          );
        }),
      ),
    revoke: ({ peer, confirmedName, reason, environment: meant }) =>
      lane.run(() =>
        right.run('revoke', async ({ peer: by }) => {
          if (confirmedName !== peer) {
            const message = 'revoke: what was typed is not the name of the peer; type it as it is shown';
            throw new VakError('invalid-input', message, { details: { field: 'confirmedName' } });
          }
          checkEnvironment('revoke', meant);
          checkNotOneself('revoke', { peer, by, roles: [] });
          const newest = newestOf(peer);
          if (newest === undefined || newest.roles.length === 0) {
            throw new VakError('not-found', `revoke: ${peer} has no role here`);
          }
          const made = revokeGrant({ ...targetOf(peer), sign: newest.sign });
          const said = { action: 'grant.revoke', target: peer, scope: newest.roles.join(', ') };
          const why = reason?.trim() === '' ? undefined : reason;
          await onRecord(by, { ...said, reason: why }, () => publishGrant(made, records));
        }),
      ),
    renewCard: () =>
      lane.run(() =>
        right.run('renew the card', async ({ peer }) => {
          const said = { action: 'card.renew', target: peer, scope: 'a new box key' };
          await onRecord(peer, said, async () => {
            await updateAndErase(keyStore, (contents) => rotateBoxKey(contents, { peer, clock, randomness }).contents);
            const renewed = keyStore.read().identities.find((one) => one.peer === peer);
            if (renewed !== undefined) await publishCard(cardOf(renewed, ws), records);
          });
        }),
      ),
  };
}
