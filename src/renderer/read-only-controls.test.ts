import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { approvalReport } from '../../tests/support/approval-reports.ts';
import { connectionsState } from '../../tests/support/connections-state.ts';
import { roomMember, roomMessage, roomSummary, roomsState } from '../../tests/support/room-states.ts';
import { swarmStateOf } from '../../tests/support/swarm-state.ts';
import { callChanges } from '../shared/contract/call-changes.ts';
import type { CampaignState } from '../shared/contract/dlq-contract.ts';
import type { GrantSummary, SelfSummary } from '../shared/contract/identity-contract.ts';
import type { QueuesState } from '../shared/contract/queues-contract.ts';
import type { SessionSummary } from '../shared/contract/sessions-contract.ts';
import { whyNotAnswer } from './features/approvals/approval-words.ts';
import {
  type LetterSituation,
  whyNotAct,
  whyNotEdit,
  whyNotOpen,
  whyNotSay,
  whyNotStop,
} from './features/dead-letters/letter-reasons.ts';
import { whyNotGrant, whyNotRenewCard, whyNotRevoke } from './features/identity/access-reasons.ts';
import { whyNotEnqueue, whyNotPause, whyNotPurge, whyNotResume } from './features/queues/queue-reasons.ts';
import {
  type MessageSituation,
  whyNotAnswerInvitation,
  whyNotAnswer as whyNotAnswerMessage,
  whyNotAskAgain,
  whyNotAttach,
  whyNotCreate,
  whyNotEdit as whyNotEditMessage,
  whyNotKick,
  whyNotLeave,
  whyNotModerate,
  whyNotOwn,
  whyNotRedact,
  whyNotRetry,
  whyNotRotate,
  whyNotSend,
  whyNotSetRole,
} from './features/rooms/room-reasons.ts';
import { whyNoCancel } from './features/streams/session-limits.ts';
import { createSwarmActions } from './features/swarm/swarm-actions.ts';
import type { Mirror } from './state/mirror-store.ts';
import { createViewStore } from './state/view-store.ts';
import { publishLack, readOnlyReason } from './ui/connection-words.ts';

/** In use, and read-only. */
const connection = connectionsState();
const readOnly = readOnlyReason(connection);
const situation = { connection, state: { queues: [{ queue: 'q' }] } as unknown as QueuesState, selected: 'q' };

/** A grant of another peer, by who holds the root. */
const ownAccess = {
  ...{ connection, peer: undefined, self: { peer: 'own', holdsRoot: true } as SelfSummary },
  grant: { peer: 'w', roles: ['worker'] } as unknown as GrantSummary,
};

/** A cause, and all of its letters. */
const letters: LetterSituation = {
  ...{ connection, cause: 'c'.repeat(16) },
  scope: { kind: 'matching', filter: '', isWhole: true },
};
const oneLetter: LetterSituation = { ...letters, scope: { kind: 'letter', seqs: [7] } };
const runningCampaign = { state: 'running' } as CampaignState;

function swarmReason(id: string): string | undefined {
  const mirror = createStore<Mirror>(() => ({
    'connections.state': connection,
    'swarm.state': swarmStateOf({ state: 'stopped' }),
  }));
  const view = createViewStore({ getItem: () => null, setItem: () => {} });
  const needs = { client: {} as never, mirror, view, notify: vi.fn(), advise: vi.fn() };
  return createSwarmActions(needs, vi.fn())
    .find((action) => action.id === id)
    ?.disabledReason?.();
}

/** A room of this peer, with one of its messages. */
const inRoom: MessageSituation = {
  ...{ connection, state: roomsState(), room: roomSummary({ lockedCount: 1 }), item: roomMessage(1, { isOwn: true }) },
};
const asMember = { ...inRoom, room: roomSummary({ role: 'member' }) };
const asInvited = { ...inRoom, room: roomSummary({ standing: 'invited', role: null }) };
const unsent = { ...inRoom, item: roomMessage(null, { sending: { state: 'failed', error: null } }) };
const roomCall = (why: () => string | undefined) => ({ files: ['features/rooms/room-calls.ts'], why });

const session = { state: 'live', peer: 'w' } as SessionSummary;

/** Where each call that changes the bus is made, and what says before the click why it cannot be. A new place has to say its reason here. */
const places: Readonly<Record<string, { readonly files: readonly string[]; readonly why: () => string | undefined }>> =
  {
    'access.grant': { files: ['features/identity/access-work.ts'], why: () => whyNotGrant(ownAccess) },
    'access.renewCard': { files: ['features/identity/access-work.ts'], why: () => whyNotRenewCard(ownAccess) },
    'access.revoke': { files: ['features/identity/access-work.ts'], why: () => whyNotRevoke(ownAccess) },
    'approvals.answer': {
      files: ['features/approvals/use-approval-work.ts'],
      why: () => whyNotAnswer({ connection, approval: approvalReport('r'), nowMs: 0 }),
    },
    'developer.burst': { files: ['features/swarm/swarm-actions.ts'], why: () => swarmReason('developer.burst') },
    'developer.tamper': {
      files: ['features/swarm/tamper-actions.ts'],
      why: () => swarmReason('developer.tamper.plain'),
    },
    'dlq.archive': { files: ['features/dead-letters/letter-work.ts'], why: () => whyNotAct(letters) },
    'dlq.cancel': { files: ['features/dead-letters/letter-work.ts'], why: () => whyNotStop(letters, runningCampaign) },
    'dlq.editRetry': { files: ['features/dead-letters/letter-work.ts'], why: () => whyNotEdit(oneLetter, null) },
    'dlq.exportBundle': { files: ['features/dead-letters/letter-work.ts'], why: () => whyNotAct(letters) },
    'dlq.open': {
      files: ['features/dead-letters/letter-task.tsx', 'features/dead-letters/letter-work.ts'],
      why: () => whyNotOpen(letters, null),
    },
    'dlq.restore': { files: ['features/dead-letters/letter-work.ts'], why: () => whyNotAct(letters) },
    'dlq.retry': { files: ['features/dead-letters/letter-work.ts'], why: () => whyNotAct(letters) },
    'dlq.setGroup': { files: ['features/dead-letters/letter-work.ts'], why: () => whyNotSay(letters) },
    'provisioning.make': { files: ['features/connections/provision-dialog.tsx'], why: () => publishLack(connection) },
    'queues.enqueue': { files: ['features/queues/use-enqueue-form.ts'], why: () => whyNotEnqueue(situation) },
    'queues.pause': { files: ['features/queues/queue-work.ts'], why: () => whyNotPause(situation) },
    'queues.purge': { files: ['features/queues/queue-work.ts'], why: () => whyNotPurge(situation) },
    'queues.resume': { files: ['features/queues/queue-work.ts'], why: () => whyNotResume(situation) },
    'rooms.attach': roomCall(() => whyNotAttach(inRoom)),
    'rooms.attachBytes': roomCall(() => whyNotAttach(inRoom)),
    'rooms.attachChosen': roomCall(() => whyNotAttach(inRoom)),
    'rooms.close': roomCall(() => whyNotOwn(inRoom)),
    'rooms.create': roomCall(() => whyNotCreate(inRoom)),
    'rooms.decline': roomCall(() => whyNotAnswerInvitation(asInvited)),
    'rooms.edit': roomCall(() => whyNotEditMessage(inRoom)),
    'rooms.invite': roomCall(() => whyNotModerate(inRoom)),
    'rooms.inviteFromFile': roomCall(() => whyNotModerate(inRoom)),
    'rooms.join': roomCall(() => whyNotAnswerInvitation(asInvited)),
    'rooms.kick': roomCall(() => whyNotKick({ ...inRoom, member: roomMember('bob') })),
    'rooms.leave': roomCall(() => whyNotLeave(asMember)),
    'rooms.react': roomCall(() => whyNotAnswerMessage(inRoom)),
    'rooms.redact': roomCall(() => whyNotRedact(inRoom)),
    'rooms.requestKeys': roomCall(() => whyNotAskAgain(inRoom)),
    'rooms.retrySending': roomCall(() => whyNotRetry(unsent)),
    'rooms.rotate': roomCall(() => whyNotRotate(inRoom)),
    'rooms.send': roomCall(() => whyNotSend(inRoom)),
    'rooms.setRole': roomCall(() => whyNotSetRole({ ...inRoom, member: roomMember('bob') })),
    'rooms.setTopic': roomCall(() => whyNotModerate(inRoom)),
    'rooms.setTyping': roomCall(() => whyNotSend(inRoom)),
    'sessions.signal': {
      files: ['features/streams/session-header.tsx'],
      why: () => whyNoCancel({ summary: session, worker: undefined, readOnly }),
    },
    'swarm.cancel': {
      files: ['features/operations/worker-table.tsx', 'features/streams/session-header.tsx'],
      why: () => readOnly,
    },
    'swarm.run': { files: ['features/swarm/run-dialog.tsx'], why: () => swarmReason('swarm.run') },
    'swarm.start': { files: ['features/swarm/swarm-actions.ts'], why: () => swarmReason('swarm.start') },
  };

const sources = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
  .filter(({ name }) => /\.tsx?$/.test(name) && !name.includes('.test.'))
  .map(({ parentPath, name }) => join(parentPath, name))
  .map((path) => ({ file: relative(import.meta.dirname, path), text: readFileSync(path, 'utf8') }));

/** A call through the client, or through the part of it that a file was given. */
function callersOf(name: string): string[] {
  const [feature = '', member = ''] = name.split('.');
  const whole = new RegExp(`\\bclient\\.${feature}\\.${member}\\b`);
  const part = new RegExp(`\\['client'\\]\\['${feature}'\\]`);
  const isCaller = (text: string): boolean =>
    whole.test(text) || (part.test(text) && new RegExp(`\\bclient\\.${member}\\(`).test(text));
  return sources.filter(({ text }) => isCaller(text)).map(({ file }) => file);
}

const changing = Object.entries(callChanges).flatMap(([name, changes]) => (changes === 'bus' ? [name] : []));

describe('what changes the bus, in a read-only context', () => {
  it('B10 has its place and its reason, each of the contract’s calls', () => {
    expect(Object.keys(places).toSorted()).toEqual(changing.toSorted());
  });

  it.each(Object.keys(places))('B10 %s: is asked for where its reason is shown before, and nowhere else', (name) => {
    const place = places[name];
    expect(callersOf(name).toSorted()).toEqual(place?.files);
    expect(place?.why()).toMatch(/^the connection prod is read-only(?:; |$)/);
  });
});
