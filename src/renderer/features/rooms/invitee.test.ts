import { describe, expect, it } from 'vitest';
import { roomMember } from '../../../../tests/support/room-states.ts';
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import { invitablePeers, readInvitee } from './invitee.ts';

const peer = (name: string, state: PeerSummary['state'] = 'pinned'): PeerSummary =>
  ({ peer: name, name: `${name} the peer`, sign: `U-${name}`, state }) as PeerSummary;

describe('R5 whom an invitation is for', () => {
  it('R5 a peer id, or a card', () => {
    expect(readInvitee(' bob-2 ')).toEqual({ kind: 'peer', peer: 'bob-2' });
    expect(readInvitee(' {"v":1} ')).toEqual({ kind: 'card', text: '{"v":1}' });
    expect(readInvitee('')).toMatchObject({ kind: 'none' });
    expect(readInvitee('two words')).toMatchObject({ kind: 'none' });
    expect(readInvitee(`{${'x'.repeat(16_384)}`)).toMatchObject({ kind: 'none' });
  });

  it('R18 offers who is not in the room, is not invited, and is not blocked', () => {
    const peers = [peer('me', 'own'), peer('bob'), peer('carol', 'blocked'), peer('dora'), peer('erin')];
    const members = [roomMember('bob'), roomMember('other', { sign: 'U-erin' })];
    expect(invitablePeers(peers, members, '').map((one) => one.peer)).toEqual(['dora']);
    expect(invitablePeers(peers, [], 'THE peer').map((one) => one.peer)).toEqual(['bob', 'dora', 'erin']);
    expect(invitablePeers(peers, [], 'zz')).toEqual([]);
  });
});
