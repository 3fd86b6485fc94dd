/** What can be done with grants and peers; the palette, the keys and the buttons share it. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { GrantSummary } from '../../../shared/contract/identity-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
import type { IdentityTab } from '../../state/view-store.ts';
import { copyText } from '../../ui/copy-text.ts';
import type { Workbench } from '../../workbench.tsx';
import {
  type AccessSituation,
  whyNotAccept,
  whyNotBlock,
  whyNotChangeGrant,
  whyNotCompare,
  whyNotGrant,
  whyNotRenewCard,
  whyNotRevoke,
  whyNotSign,
  whyNotUnverify,
} from './access-reasons.ts';
import type { AccessWork } from './access-work.ts';

const group = 'Identity & access';

/** Parts of the view, in the order of their keys 1–4. */
export const identityTabs = [
  { id: 'self', title: 'This peer', action: 'Show this peer and its key store' },
  { id: 'grants', title: 'Grants', action: 'Show grants: who may what' },
  { id: 'peers', title: 'Peers', action: 'Show peers and their keys' },
  { id: 'what-if', title: 'What if', action: 'May a role publish or subscribe? Try it' },
] as const satisfies readonly { readonly id: IdentityTab; readonly title: string; readonly action: string }[];

export interface AccessActionsDeps extends Pick<Workbench, 'client' | 'mirror' | 'notify' | 'refuse'> {
  readonly work: AccessWork;
  readonly showTab: (tab: IdentityTab) => void;
}

export interface SelectedAccess {
  readonly grant: GrantSummary | undefined;
  readonly peer: PeerSummary | undefined;
}

type SituationDeps = Pick<AccessActionsDeps, 'mirror'>;

function situationOf({ mirror }: SituationDeps, selected: SelectedAccess): AccessSituation {
  const { 'connections.state': connection, 'identity.self': self } = mirror.getState();
  return { connection, self, ...selected };
}

const nothing: SelectedAccess = { grant: undefined, peer: undefined };

async function copyCard({ client, notify, refuse }: AccessActionsDeps): Promise<void> {
  const { text } = await client.access.ownCard({});
  if (copyText(text)) notify('Copied the card of this peer: hand it to those who are to know its key.');
  else refuse('The clipboard refused the card.');
}

/** From anywhere; their keys are those of the view. */
export function createAccessActions(deps: AccessActionsDeps, isIdentityView: boolean): readonly Action[] {
  const { work } = deps;
  const keys = (...own: string[]) => (isIdentityView ? { keys: own } : {});
  const situation = () => situationOf(deps, nothing);
  return [
    ...identityTabs.map(({ id, action }, index): Action => {
      return {
        id: `identity.show.${id}`,
        title: action,
        group,
        ...keys(String(index + 1)),
        run: () => deps.showTab(id),
      };
    }),
    {
      ...{ id: 'access.grant', title: 'Grant roles to a peer…', group, ...keys('g') },
      disabledReason: () => whyNotGrant(situation()),
      run: () => work.ask(undefined, undefined),
    },
    {
      ...{ id: 'access.export', title: 'Export the access for a nats-server…', group, ...keys('x') },
      run: work.askExport,
    },
    { id: 'access.addCard', title: 'Add the card of a peer…', group, ...keys('a'), run: work.askCard },
    { id: 'access.copyCard', title: 'Copy the card of this peer', group, run: () => copyCard(deps) },
    {
      ...{ id: 'access.renewCard', title: 'Renew the box key and card of this peer', group },
      disabledReason: () => whyNotRenewCard(situation()),
      run: work.renewCard,
    },
  ];
}

/** Copies the signing key of the selected row. */
function copyKeyAction(
  { notify, refuse }: Pick<AccessActionsDeps, 'notify' | 'refuse'>,
  row: { readonly peer: string; readonly sign: string } | undefined,
): Action {
  return {
    ...{ id: 'access.copyKey', title: 'Copy the signing key of the selected peer', group, keys: ['y'] },
    disabledReason: () => (row === undefined ? 'select a row first' : undefined),
    run() {
      if (row === undefined) return;
      if (copyText(row.sign)) notify(`Copied the signing key of ${visibleText(row.peer)}.`);
      else refuse('The clipboard refused the key.');
    },
  };
}

/** What is done with the selected grant. */
export function createGrantActions(
  deps: AccessActionsDeps & { readonly tryOut: (peer: string) => void },
  selected: SelectedAccess,
): readonly Action[] {
  const { work, tryOut } = deps;
  const { grant } = selected;
  const name = grant === undefined ? 'the selected peer' : visibleText(grant.peer);
  const situation = () => situationOf(deps, selected);
  const run = (act: (grant: GrantSummary) => void | Promise<void>) => () =>
    grant === undefined ? undefined : act(grant);
  return [
    {
      ...{ id: 'access.change', title: `Renew or change the grant of ${name}…`, group, keys: ['r', 'Enter'] },
      disabledReason: () => whyNotChangeGrant(situation()),
      run: run((one) => work.ask(one.peer, one)),
    },
    {
      ...{ id: 'access.revoke', title: `Revoke every role of ${name}…`, group, keys: ['Delete'] },
      disabledReason: () => whyNotRevoke(situation()),
      run: run(work.askRevoke),
    },
    {
      ...{ id: 'access.try', title: `Try what ${name} may`, group, keys: ['t'] },
      disabledReason: () => (grant === undefined ? 'select a grant first' : undefined),
      run: run((one) => tryOut(one.peer)),
    },
    {
      ...{ id: 'access.saveCredentials', title: `Save credentials of ${name} for a nats-server…`, group },
      disabledReason: () => (grant === undefined ? 'select a grant first' : whyNotSign(situation())),
      run: run((one) => work.saveCredentials(one.peer)),
    },
    copyKeyAction(deps, grant),
  ];
}

/** What is done with the selected peer. */
export function createPeerActions(deps: AccessActionsDeps, selected: SelectedAccess): readonly Action[] {
  const { work } = deps;
  const { peer, grant } = selected;
  const name = peer === undefined ? 'the selected peer' : visibleText(peer.peer);
  const situation = () => situationOf(deps, selected);
  const isBlocked = peer?.state === 'blocked';
  const run = (act: (peer: PeerSummary) => void | Promise<void>) => () => (peer === undefined ? undefined : act(peer));
  return [
    {
      ...{ id: 'access.compare', title: `Compare the safety number of ${name}…`, group, keys: ['c'] },
      disabledReason: () => whyNotCompare(situation()),
      run: run((one) => work.compare(one.peer)),
    },
    {
      ...{ id: 'access.acceptKey', title: `Accept the changed key of ${name}…`, group },
      disabledReason: () => whyNotAccept(situation()),
      run: run((one) => work.askAccept(one, false)),
    },
    {
      ...{ id: 'access.unverify', title: `Take back that ${name} is verified`, group },
      disabledReason: () => whyNotUnverify(situation()),
      run: run((one) => work.setVerified(one, false)),
    },
    {
      ...{ id: 'access.block', title: isBlocked ? `Let ${name} go` : `Block ${name}`, group, keys: ['b'] },
      disabledReason: () => whyNotBlock(situation()),
      run: run((one) => work.setBlocked(one.peer, !isBlocked)),
    },
    {
      ...{ id: 'access.grantPeer', title: `Grant roles to ${name}…`, group, keys: ['r'] },
      disabledReason: () => (peer === undefined ? 'select a peer first' : whyNotGrant(situation())),
      run: run((one) => work.ask(one.peer, grant)),
    },
    copyKeyAction(deps, peer),
  ];
}

/** How a list of the view is gone through. */
export function createListActions(moves: {
  readonly move: (key: 'j' | 'k' | 'Home' | 'End') => void;
  readonly filter: () => void;
}): readonly Action[] {
  const go = (id: string, title: string, keys: readonly string[]) => ({ id: `access.${id}`, title, group, keys });
  return [
    { ...go('next', 'Select the next row', ['j', 'ArrowDown']), run: () => moves.move('j') },
    { ...go('previous', 'Select the previous row', ['k', 'ArrowUp']), run: () => moves.move('k') },
    { ...go('first', 'Select the first row', ['Home']), run: () => moves.move('Home') },
    { ...go('last', 'Select the last row', ['End']), run: () => moves.move('End') },
    { ...go('filter', 'Filter the list', ['/']), run: moves.filter },
  ];
}
