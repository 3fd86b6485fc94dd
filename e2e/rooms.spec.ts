/** Rooms: two apps on one nats-server with vak membershipd talk, one is removed, and joins again (protocol.md R1–R12). */
import { expect, type Page } from '@playwright/test';
import { startNatsServer } from '../tests/support/nats-server.ts';
import { call, invoke, readSnapshot } from './support/bridge.ts';
import { createOtherPeer, mustRun } from './support/other-peer.ts';
import { startVak } from './support/set-up-profile.ts';
import { startWorkbench, test } from './support/workbench.ts';

const patience = { timeout: 30_000 };

async function connect(page: Page, url: string): Promise<void> {
  await call(page, 'connections.save', { name: 'prod', kind: 'remote', url, colour: 'red', isReadOnly: false });
  await call(page, 'connections.use', { name: 'prod' });
  await expect.poll(async () => (await readSnapshot(page, 'rooms.state')).hasService, patience).toBe(true);
}

const roomsOf = async (page: Page) => (await readSnapshot(page, 'rooms.state')).rooms;

/** Writes it as a person does. */
async function say(page: Page, text: string): Promise<void> {
  await page.getByTestId('compose').fill(text);
  await page.getByTestId('compose').press('Enter');
  await expect(page.getByTestId('timeline')).toContainText(text, patience);
}

test('R1 R4 R5 R6 R12 two apps on one server talk; who is removed reads nothing more, and joining again reads from there on', async ({
  profile,
}) => {
  test.setTimeout(240_000);
  const server = await startNatsServer();
  const url = ['--nats-url', server.url];
  const { rootPublic } = JSON.parse(mustRun(profile, ['id', 'show', '--json']).stdout) as { rootPublic: string };
  const bob = createOtherPeer('bob', rootPublic, 'human');
  mustRun(profile, ['provision', ...url]);
  const membershipd = startVak(profile, ['membershipd', ...url]);
  const ada = await startWorkbench(profile);
  try {
    await connect(ada.page, server.url);
    await call(ada.page, 'access.addCard', { text: bob.card });
    const { sign } = JSON.parse(bob.card) as { sign: string };
    const grant = { peer: 'bob', sign, environment: 'prod', roles: ['human'], queues: [], notAfter: 0 };
    await call(ada.page, 'access.grant', grant);
    bob.vak('grant', 'import', bob.file('grants.ndjson', mustRun(profile, ['grant', 'export']).stdout));

    const there = await startWorkbench(bob.profile);
    try {
      const [here, other] = [ada.page, there.page];
      await connect(other, server.url);
      await call(other, 'access.addCard', await call<{ text: string }>(here, 'access.ownCard', {}));
      await here.keyboard.press('Control+7');
      const made = { name: 'Night shift', topic: 'who is on', history: 'joined' };
      const { room } = await call<{ room: string }>(here, 'rooms.create', made);
      await call(here, 'rooms.invite', { room, peer: 'bob', role: 'member' });
      await other.keyboard.press('Control+7');
      await expect(other.getByTestId('room-invited')).toContainText('invites you', patience);
      await other.getByRole('button', { name: 'Join' }).click();
      await expect(here.getByTestId('timeline')).toContainText('bob joined', patience);

      await say(here, '@bob is welcome');
      await expect(other.getByTestId('timeline')).toContainText('@bob is welcome', patience);
      await say(other, 'hello from the other machine');
      await expect(here.getByTestId('timeline')).toContainText('hello from the other machine', patience);
      const png =
        'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';
      await call(here, 'rooms.attachBytes', { room, name: 'dash.png', mime: 'image/png', data: png });
      await expect(other.getByTestId('timeline')).toContainText('dash.png', patience);
      const page = await call<{ items: readonly { attachment?: object | null; messageId?: string }[] }>(
        other,
        'rooms.page',
        {
          room,
          limit: 20,
        },
      );
      const messageId = page.items.find(({ attachment }) => attachment)?.messageId;
      expect(await call(other, 'rooms.preview', { room, messageId })).toEqual({ mime: 'image/png', data: png });

      await call(here, 'rooms.kick', { room, sign, reason: 'the shift is over' });
      await say(here, 'for the day shift alone');
      await expect(other.getByTestId('timeline')).toContainText('the shift is over', patience);
      await expect(other.getByTestId('compose-closed')).toBeVisible();
      await expect.poll(async () => (await roomsOf(other))[0]?.standing, patience).toBe('kicked');
      const refused = await invoke(other, 'rooms.send', { room, text: 'still here' });
      expect(refused).toMatchObject({ ok: false, error: { code: 'forbidden' } });

      await call(here, 'rooms.invite', { room, peer: 'bob', role: 'member' });
      await expect(other.getByTestId('room-invited')).toBeVisible(patience);
      await other.getByRole('button', { name: 'Join' }).click();
      await expect.poll(async () => (await roomsOf(here))[0]?.memberCount, patience).toBe(2);
      await say(here, 'back again');
      await expect(other.getByTestId('timeline')).toContainText('back again', patience);
      await expect(other.getByTestId('timeline')).toContainText('hello from the other machine');
      await expect(other.getByTestId('timeline')).not.toContainText('for the day shift alone');
    } finally {
      await there.end();
    }
  } finally {
    await ada.end();
    membershipd.kill();
    await membershipd.ended;
    bob.remove();
    await server.stop();
  }
});
