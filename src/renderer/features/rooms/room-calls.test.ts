import { describe, expect, it, vi } from 'vitest';
import { roomMember, roomMessage } from '../../../../tests/support/room-states.ts';
import { createRoomCalls, maxDroppedBytes } from './room-calls.ts';

function setUp() {
  const client = {
    attachBytes: vi.fn(async () => {}),
    react: vi.fn(async () => {}),
    kick: vi.fn(async () => {}),
    markRead: vi.fn(async () => {}),
  };
  const told = { notify: vi.fn(), refuse: vi.fn(), reportError: vi.fn() };
  return { client, ...told, calls: createRoomCalls({ client: client as never, ...told }) };
}
const file = (name: string, type: string, bytes: readonly number[], size = bytes.length) => ({
  ...{ name, type, size },
  arrayBuffer: vi.fn(async () => Uint8Array.from(bytes).buffer),
});

describe('calls about rooms', () => {
  it('R12 files that were dropped go one after the other; what is too large is said before it is read', async () => {
    const { client, calls, refuse } = setUp();
    const large = file('film\u202e.mp4', 'video/mp4', [], maxDroppedBytes + 1);
    await calls.attachFiles('r', [file('a.PNG', 'image/PNG', [1, 2]), large, file('', 'no type', [3])]);
    expect(client.attachBytes.mock.calls).toEqual([
      [{ room: 'r', name: 'a.PNG', mime: 'image/png', data: 'AQI=' }],
      [{ room: 'r', name: 'file', mime: 'application/octet-stream', data: 'Aw==' }],
    ]);
    expect(large.arrayBuffer).not.toHaveBeenCalled();
    expect(refuse).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('film‹U+202E›.mp4: above 16 MiB'));
  });

  it('R12 a file that fails is said by name, and the others still go', async () => {
    const { client, calls, reportError } = setUp();
    const failure = new Error('disk');
    client.attachBytes.mockRejectedValueOnce(failure);
    await calls.attachFiles('r', [file('a\u202e.txt', '', [1]), file('b.txt', '', [2])]);
    expect(reportError).toHaveBeenCalledExactlyOnceWith('Send a‹U+202E›.txt', failure);
    expect(client.attachBytes).toHaveBeenLastCalledWith(expect.objectContaining({ name: 'b.txt' }));
  });

  it('R11 a reaction that is set already is taken back, another’s is joined', async () => {
    const { client, calls } = setUp();
    const item = roomMessage(1, { reactions: [{ emoji: '👍', peers: ['alice'] }] });
    await calls.react('r', item, { emoji: '👍', me: 'alice' });
    await calls.react('r', item, { emoji: '👍', me: 'bob' });
    expect(client.react.mock.calls.map(([input]: readonly { isOff?: boolean }[]) => input?.isOff)).toEqual([
      true,
      false,
    ]);
  });

  it('R4 says that a new key follows a removal, and none an invitation that is taken back', async () => {
    const { calls, notify, client } = setUp();
    await calls.kick('r', roomMember('bob'), undefined);
    await calls.kick('r', roomMember('bob', { isInvited: true }), 'late');
    expect(client.kick.mock.calls.map(([input]: readonly { reason?: string }[]) => input?.reason)).toEqual([
      undefined,
      'late',
    ]);
    expect(notify.mock.calls.flat()).toEqual([
      'Removed bob. What is said from now on has a new key.',
      'Took back the invitation of bob.',
    ]);
  });

  it('what goes on by itself tells when it failed', async () => {
    const { calls, client, reportError } = setUp();
    const failure = new Error('disk');
    client.markRead.mockRejectedValueOnce(failure);
    calls.markRead('r', 4);
    await vi.waitFor(() => expect(reportError).toHaveBeenCalledExactlyOnceWith('Mark as read', failure));
  });
});
