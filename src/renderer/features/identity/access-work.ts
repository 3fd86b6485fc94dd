/**
 * What is being done with grants and peers: which part is shown, what is selected, which dialog is open, and the calls behind the actions.
 * Law: what is granted, revoked or accepted is what was shown when it was asked about, on the connection that was shown.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { AddedCard, PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { GrantSummary } from '../../../shared/contract/identity-contract.ts';
import type { Confirmation } from '../../ui/guard-dialog.tsx';
import type { Workbench } from '../../workbench.tsx';
import { fieldsOfGrant, type GrantFields, type GrantInput } from './grant-form.ts';

export interface AccessWorkState {
  readonly selectedGrant: string | undefined;
  readonly selectedPeer: string | undefined;
  readonly isPeerOpen: boolean;
  readonly filter: string;
  /** The open form of a grant, with what it begins with; `isRenewal`: of what the peer has. */
  readonly granting: { readonly fields: GrantFields; readonly isRenewal: boolean } | undefined;
  readonly revoking: GrantSummary | undefined;
  readonly isAddingCard: boolean;
  readonly isExporting: boolean;
  /** Whose safety number is compared. */
  readonly comparing: string | undefined;
  /** Whose changed key is asked about; `isCompared`: its number was compared before. */
  readonly accepting: { readonly peer: PeerSummary; readonly isCompared: boolean } | undefined;
}

export interface AccessWork {
  readonly store: StoreApi<AccessWorkState>;
  select(change: Pick<Partial<AccessWorkState>, 'selectedGrant' | 'selectedPeer' | 'isPeerOpen' | 'filter'>): void;
  /** Opens the form: for a peer, with what it has. */
  ask(peer: string | undefined, present: GrantSummary | undefined): void;
  /** Grants; throws what the engine throws. */
  grant(input: GrantInput): Promise<void>;
  askRevoke(grant: GrantSummary): void;
  revoke(given: Confirmation): Promise<void>;
  askCard(): void;
  askExport(): void;
  /** Main asks where to; closing that is no failure. */
  saveCredentials(peer: string): Promise<void>;
  /** Says what the card was; throws what the engine throws. */
  addCard(text: string): Promise<void>;
  addCardFile(): Promise<void>;
  compare(peer: string): void;
  askAccept(peer: PeerSummary, isCompared: boolean): void;
  accept(given: Confirmation): Promise<void>;
  setVerified(peer: PeerSummary, isVerified: boolean): Promise<void>;
  setBlocked(peer: string, isBlocked: boolean): Promise<void>;
  /** The numbers that were compared differ: the peer is blocked. */
  differ(peer: string): Promise<void>;
  renewCard(): Promise<void>;
  close(): void;
}

export interface AccessWorkDeps extends Pick<Workbench, 'notify' | 'reportError'> {
  readonly client: Workbench['client']['access'];
  /** Name of the context in use, as it is shown. */
  readonly environment: () => string | undefined;
}

const closed = {
  ...{
    granting: undefined,
    revoking: undefined,
    isAddingCard: false,
    isExporting: false,
    comparing: undefined,
    accepting: undefined,
  },
} as const;

const sightWords: Readonly<Record<AddedCard['sight'], string>> = {
  own: 'is of this profile, whose keys are known anyway.',
  first: 'is pinned: its signing key is known from now on. Compare the safety number to be sure of it.',
  known: 'is the one that is known already.',
  renewed: 'is renewed: the same signing key, a newer card.',
  changed: 'has another signing key than the pinned one: nothing is sent to it until you accept that key.',
  replay: 'is older than what was seen of it, and changes nothing.',
};

/** Creates it with no dialog open. */
export function createAccessWork({ client, environment, notify, reportError }: AccessWorkDeps): AccessWork {
  const store = createStore<AccessWorkState>(() => ({
    ...{ selectedGrant: undefined, selectedPeer: undefined, isPeerOpen: false, filter: '' },
    ...closed,
  }));
  const open = (change: Partial<AccessWorkState>): void => store.setState({ ...closed, ...change });
  const where = (): { environment?: string } => {
    const name = environment();
    return name === undefined ? {} : { environment: name };
  };

  /** Does what was confirmed; the question is over at once, and a failure is reported. */
  async function confirmed(doing: string, work: () => Promise<void>): Promise<void> {
    open({});
    try {
      await work();
    } catch (error) {
      reportError(doing, error);
    }
  }

  function tellCard({ peer, sight }: AddedCard): void {
    open({ selectedPeer: peer });
    notify(`The card of ${visibleText(peer)} ${sightWords[sight]}`);
  }

  async function setBlocked(peer: string, isBlocked: boolean): Promise<void> {
    await client.setBlocked({ peer, isBlocked });
    if (!isBlocked) return notify(`${peer} is blocked no more.`);
    notify(`${peer} is blocked: nothing is sent to it until you let it go.`, {
      ...{ label: 'Let it go', whyNot: null },
      run: () => void setBlocked(peer, false).catch((error: unknown) => reportError(`Let ${peer} go`, error)),
    });
  }

  return {
    store,
    select: (change) => store.setState(change),
    ask: (peer, present) =>
      open({ granting: { fields: fieldsOfGrant(peer, present), isRenewal: present !== undefined } }),
    async grant(input) {
      await client.grant({ ...input, ...where() });
      open({ selectedGrant: input.peer });
      notify(`${input.peer} is granted ${input.roles.join(', ')}. It stands in the signed record.`);
    },
    askRevoke: (revoking) => open({ revoking }),
    async revoke({ typed, reason }) {
      const { revoking } = store.getState();
      if (revoking === undefined) return;
      const { peer } = revoking;
      await confirmed(`Revoke ${peer}`, async () => {
        await client.revoke({ peer, confirmedName: typed, ...where(), ...(reason === undefined ? {} : { reason }) });
        notify(`Every role of ${peer} is revoked.`);
      });
    },
    askCard: () => open({ isAddingCard: true }),
    askExport: () => open({ isExporting: true }),
    async saveCredentials(peer) {
      try {
        const { path } = await client.saveCredentials({ peer });
        notify(
          `The credentials of ${peer} are in ${visibleText(path)}: whoever has that file is ${peer} to the server.`,
        );
      } catch (error) {
        if (!isVakError(error, 'aborted')) throw error;
      }
    },
    async addCard(text) {
      tellCard(await client.addCard({ text }));
    },
    async addCardFile() {
      try {
        tellCard(await client.addCardFile({}));
      } catch (error) {
        if (!isVakError(error, 'aborted')) throw error;
      }
    },
    compare: (comparing) => open({ comparing }),
    askAccept: (peer, isCompared) => open({ accepting: { peer, isCompared } }),
    async accept({ typed }) {
      const { accepting } = store.getState();
      const sign = accepting?.peer.offered?.sign;
      if (accepting === undefined || sign === undefined) return;
      const { peer } = accepting.peer;
      await confirmed(`Accept the key of ${peer}`, async () => {
        await client.acceptKey({ peer, sign, confirmedName: typed });
        if (accepting.isCompared) await client.setVerified({ peer, sign, isVerified: true });
        notify(`The new key of ${peer} is accepted${accepting.isCompared ? ' and verified' : ''}.`);
      });
    },
    async setVerified({ peer, sign }, isVerified) {
      await client.setVerified({ peer, sign, isVerified });
      open({});
      notify(
        isVerified ? `${peer} is verified: its key is the one that you compared.` : `${peer} is not verified any more.`,
      );
    },
    setBlocked,
    differ: (peer) => confirmed(`Block ${peer}`, () => setBlocked(peer, true)),
    async renewCard() {
      await client.renewCard({});
      notify('The box key is new, and the card with it.');
    },
    close: () => open({}),
  };
}
