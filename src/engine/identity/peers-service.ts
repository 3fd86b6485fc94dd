/**
 * Whose keys are known here, what of it was compared, and to whom nothing is sent (protocol.md I2).
 * Law: it is this profile's own knowledge: nothing of it goes over the bus, and a key counts as compared only if it is the one that was shown.
 */
import { readFile, stat } from 'node:fs/promises';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AddedCard, PeerSummary, PeersState } from '../../shared/contract/access-contract.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { Card } from '../../shared/protocol/identity-records.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import { safetyText } from '../../shared/protocol/safety-text.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import type { CardSightings } from './card-sightings.ts';
import { type VerifiedCard, verifyCard } from './cards.ts';
import { fileError } from './file-error.ts';
import type { KeyStore, StoredIdentity } from './key-store.ts';
import { cardOf } from './operator-identity.ts';
import type { PinnedPeer } from './pins.ts';
import { peerStateOf } from './recipient-check.ts';
import { safetyNumber } from './safety-number.ts';
import { createRecordChecks } from './signed-record.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

type Calls = Omit<
  Services<AppContract>['access'],
  'grant' | 'revoke' | 'renewCard' | 'exportServer' | 'saveServer' | 'saveCredentials'
>;

export interface PeersServiceDeps {
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly records: WorkspaceRecords;
  readonly sightings: Pick<CardSightings, 'see'>;
  /** The operator's identity; throws `locked`, `not-found`. */
  readonly operator: () => StoredIdentity;
  readonly prompt: Pick<OperatorPrompt, 'chooseOpenFile'>;
}

export interface PeersService {
  readonly calls: Calls;
  state(): PeersState;
}

const maxListed = 1_000;
/** A card has some 500 bytes. */
const maxCardBytes = 16 * 1024;

function stateOf(pin: PinnedPeer): Pick<PeerSummary, 'state' | 'sinceMs'> {
  const { blockedMs, verifiedMs } = pin;
  const state = peerStateOf(pin);
  return { state, sinceMs: blockedMs ?? (state === 'verified' ? verifiedMs : null) };
}

function cardFacts({ peer, kind, agent, name, sign, box, boxExpiresAt, serial }: Card) {
  return { peer, kind, agent, name, sign, box, boxExpiresAtMs: boxExpiresAt * 1000, cardSerial: serial };
}

async function readCardFile(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size <= maxCardBytes) return new Uint8Array(await readFile(path));
  } catch (error) {
    throw fileError('read', path, error);
  }
  throw new VakError(
    'invalid-input',
    `${path}: is larger than ${maxCardBytes} bytes, and no card; give what vak id card printed`,
  );
}

/** Creates the calls and the snapshot. */
export function createPeersService(deps: PeersServiceDeps): PeersService {
  const { keyStore, records, sightings, operator, prompt } = deps;
  const { workspace: ws, pins } = records;
  const checks = createRecordChecks();
  const numbers = createBoundedCache<string>(256);

  function isGranted(peer: string, sign: string): boolean {
    const newest = records.timelines(keyStore.read())(peer).grants.at(-1)?.grant;
    return newest?.sign === sign && newest.roles.length > 0;
  }

  function toSummary(pin: PinnedPeer): PeerSummary {
    const { card, offered, firstSeenMs } = pin;
    const change = offered && {
      ...{ sign: offered.card.sign, cardSerial: offered.card.serial, seenMs: offered.seenMs },
      isGranted: isGranted(card.peer, offered.card.sign),
    };
    return { ...cardFacts(card), ...stateOf(pin), firstSeenMs, offered: change };
  }

  function toOwn(identity: StoredIdentity): PeerSummary {
    return { ...cardFacts(cardOf(identity, ws)), state: 'own', firstSeenMs: null, sinceMs: null, offered: null };
  }

  function state(): PeersState {
    const contents = keyStore.state().kind === 'unlocked' ? keyStore.read() : undefined;
    if (!contents?.workspaces.some(({ workspace }) => workspace === ws)) return { peers: [], leftOutCount: 0 };
    const own = contents.identities.map(toOwn);
    const names = new Set(own.map(({ peer }) => peer));
    const others = pins
      .list(ws)
      .filter(({ card }) => !names.has(card.peer))
      .map(toSummary);
    const all = [...own, ...others].sort((a, b) => (a.peer < b.peer ? -1 : 1));
    return { peers: all.slice(0, maxListed), leftOutCount: Math.max(0, all.length - maxListed) };
  }

  /** The card that is to be compared: of a peer whose key changed the new one. */
  function otherCard(peer: string): Card {
    const pin = pins.find({ ws, peer });
    if (pin === undefined) throw new VakError('not-found', `${peer}: no card of it was seen here; add its card first`);
    return pin.offered?.card ?? pin.card;
  }

  /** Says what is to be done about what is no card, and keeps what is wrong with it. */
  function readCard(bytes: Uint8Array): VerifiedCard {
    try {
      return verifyCard(parseJson(bytes, 'card'), checks);
    } catch (error) {
      if (!isVakError(error)) throw error;
      const message = `This is no card that counts (${error.message}). Give it whole and unchanged, as vak id card printed it`;
      throw new VakError('invalid-input', message, { cause: error, details: { field: 'text' } });
    }
  }

  async function add(bytes: Uint8Array): Promise<AddedCard> {
    operator();
    const card = readCard(bytes);
    if (card.ws !== ws) {
      const message = `card: it is of workspace ${card.ws}, and this is ${ws}; ask for the card of this workspace`;
      throw new VakError('invalid-input', message, { details: { field: 'ws' } });
    }
    return { peer: card.peer, sight: await sightings.see(card) };
  }

  return {
    state,
    calls: {
      ownCard: () => ({ text: JSON.stringify(cardOf(operator(), ws)) }),
      addCard: ({ text }) => add(utf8(text)),
      async addCardFile() {
        operator();
        return await add(await readCardFile(await prompt.chooseOpenFile({ title: 'Add the card of a peer' })));
      },
      safety({ peer }) {
        const { peer: ownPeer, sign: ownSign } = cardOf(operator(), ws);
        const own = { peer: ownPeer, sign: ownSign };
        const { sign } = otherCard(peer);
        const key = `${own.peer} ${own.sign} ${peer} ${sign}`;
        const number = numbers.get(key) ?? safetyNumber(own, { peer, sign });
        numbers.set(key, number);
        const peers = [own, { peer, sign }] as const;
        return { ws, number, peers, text: safetyText({ ws, peers }) };
      },
      async setVerified({ peer, sign, isVerified }) {
        operator();
        await pins.setVerified({ ws, peer, sign }, isVerified);
      },
      async acceptKey({ peer, sign, confirmedName }) {
        operator();
        if (confirmedName !== peer) {
          const message = 'accept the key: what was typed is not the name of the peer; type it as it is shown';
          throw new VakError('invalid-input', message, { details: { field: 'confirmedName' } });
        }
        await pins.accept({ ws, peer }, sign);
      },
      async setBlocked({ peer, isBlocked }) {
        operator();
        await pins.setBlocked({ ws, peer }, isBlocked);
      },
    },
  };
}
