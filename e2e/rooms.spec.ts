/**
 * Rooms: two apps and a bot on one nats-server with vak membershipd talk, one of them is removed and joins again, and somebody else comes
 * late (protocol.md R1–R12).
 */
import { expect, type Page } from '@playwright/test';
import { startNatsServer } from '../tests/support/nats-server.ts';
import { call, invoke, readSnapshot } from './support/bridge.ts';
import { createOtherPeer, mustRun, type OtherPeer } from './support/other-peer.ts';
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

/** What somebody at a terminal on another machine may read. */
function readAt(peer: OtherPeer, room: string, url: readonly string[]): string {
  return peer.vak('room', 'tail', room, '--history', '50', '--no-follow', ...url).stdout;
}

test('R1 R4 R5 R6 R12 two apps and a bot on one server talk; who is removed reads nothing more, and who comes late reads from there on', async ({
  profile,
}) => {
  test.setTimeout(240_000);
  const server = await startNatsServer();
  const url = ['--nats-url', server.url];
  const { rootPublic } = JSON.parse(mustRun(profile, ['id', 'show', '--json']).stdout) as { rootPublic: string };
  const bob = createOtherPeer('bob', rootPublic, 'human');
  mustRun(profile, ['provision', ...url]);
  const carl = createOtherPeer('carl', rootPublic, 'human');
  const membershipd = startVak(profile, ['membershipd', ...url]);
  // It answers in capitals; its identity is made at its first use, as the profile holds the root.
  const capitals = `"${process.execPath}" -pe 'JSON.parse(require("fs").readFileSync(0, "utf8")).text.toUpperCase()'`;
  const bot = startVak(profile, ['chat', '--bot', '--exec', capitals, '--identity', 'echo', ...url]);
  const ada = await startWorkbench(profile);
  try {
    await connect(ada.page, server.url);
    await call(ada.page, 'access.addCard', { text: bob.card });
    await call(ada.page, 'access.addCard', { text: carl.card });
    const signOf = (card: string): string => (JSON.parse(card) as { sign: string }).sign;
    const grant = { environment: 'prod', roles: ['human'], queues: [], notAfter: 0 };
    const sign = signOf(bob.card);
    await call(ada.page, 'access.grant', { ...grant, peer: 'bob', sign });
    await call(ada.page, 'access.grant', { ...grant, peer: 'carl', sign: signOf(carl.card) });
    for (const peer of [bob, carl])
      peer.vak('grant', 'import', peer.file('grants.ndjson', mustRun(profile, ['grant', 'export']).stdout));

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
      await call(here, 'rooms.invite', { room, peer: 'echo', role: 'member' });
      await expect(other.getByTestId('timeline')).toContainText('echo joined', patience);
      await say(other, '@echo are you there');
      await expect(here.getByTestId('timeline')).toContainText('ARE YOU THERE', patience);
      await expect(other.getByTestId('timeline')).toContainText('ARE YOU THERE', patience);
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
      await expect.poll(async () => (await roomsOf(here))[0]?.memberCount, patience).toBe(3);
      await say(here, 'back again');
      await expect(other.getByTestId('timeline')).toContainText('back again', patience);
      await expect(other.getByTestId('timeline')).toContainText('hello from the other machine');
      await expect(other.getByTestId('timeline')).not.toContainText('for the day shift alone');

      await call(here, 'rooms.invite', { room, peer: 'carl', role: 'member' });
      carl.vak('room', 'join', room, ...url);
      expect(readAt(carl, room, url)).not.toMatch(/back again|for the day shift|are you there/i);
      await expect(other.getByTestId('timeline')).toContainText('carl joined', patience);
      await say(other, 'welcome, carl');
      expect(readAt(carl, room, url)).toContain('welcome, carl');
    } finally {
      await there.end();
    }
  } finally {
    await ada.end();
    for (const one of [bot, membershipd]) one.kill();
    await Promise.all([bot.ended, membershipd.ended]);
    for (const one of [bob, carl]) one.remove();
    await server.stop();
  }
});
