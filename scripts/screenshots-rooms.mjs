// The pictures of rooms: a nats-server of their own, the app's person, one more and a bot of the same profile, and what they say.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ownProjectRoot } from './files.mjs';

/** Longest that anything is waited for. */
const patienceMs = 60_000;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves with what `look` gives once it gives something. */
async function until(what, look) {
  for (const endsMs = Date.now() + patienceMs; Date.now() < endsMs; await delay(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what}: waited for ${patienceMs / 1000} s`);
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.end());
  });

/** Programs beside the app, each ended by `end`. */
function createCompany(profile, passphraseFile) {
  const running = [];
  const start = (command, args) => {
    const child = spawn(command, args, {
      env: { ...process.env, VAK_PASSPHRASE_FILE: passphraseFile },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-4000);
    });
    const ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, said }));
    });
    return { child, ended };
  };
  const commandOf = (args) => [join(ownProjectRoot, 'out', 'peers', 'vak.js'), '--profile', profile, ...args];
  return {
    service(command, args) {
      running.push(start(command, args));
    },
    vakService: (args) => running.push(start(process.execPath, commandOf(args))),
    async vak(args) {
      const { code, said } = await start(process.execPath, commandOf(args)).ended;
      if (code !== 0) throw new Error(`vak ${args.join(' ')}: ${code}: ${said}`);
    },
    async end() {
      for (const { child } of running.reverse()) child.kill('SIGTERM');
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}

/** A call of the window's own bridge; its value. */
function call(page, method, input) {
  return page.evaluate(
    async ([name, given]) => {
      const answer = await window.bridge.invoke(crypto.randomUUID(), name, given);
      if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`);
      return answer.value;
    },
    [method, input],
  );
}

/** A graph as an image, drawn in the window: PNG, base64. */
function drawGraph(page) {
  return page.evaluate(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [640, 300];
    const pen = canvas.getContext('2d');
    pen.fillStyle = '#161a20';
    pen.fillRect(0, 0, 640, 300);
    pen.strokeStyle = '#262c35';
    for (let y = 50; y < 300; y += 50) pen.strokeRect(0, y, 640, 0);
    pen.strokeStyle = '#e5534b';
    pen.lineWidth = 2;
    pen.beginPath();
    for (let x = 0; x <= 640; x += 4)
      pen.lineTo(x, x < 420 ? 220 - x / 4 + 9 * Math.sin(x / 17) : 60 + (x - 420) / 1.4);
    pen.stroke();
    return canvas.toDataURL('image/png').split(',')[1];
  });
}

/** The person and the bot talk with the app's person; returns the room. */
async function talk({ page, company, url, me }) {
  const at = (identity, ...args) => company.vak(['room', ...args, '--identity', identity, ...url]);
  const { room } = await call(page, 'rooms.create', {
    ...{ name: 'Night shift', topic: 'render farm, eu-3', history: 'joined' },
  });
  // Known once it has joined: the first command of an identity makes it.
  await company.vak(['id', 'new', '--identity', 'nadia', '--kind', 'human']);
  for (const peer of ['nadia', 'planner']) await call(page, 'rooms.invite', { room, peer, role: 'member' });
  await at('nadia', 'join', room);
  const state = () => call(page, 'rooms.members', { room });
  await until('both joined', async () => (await state()).members.every(({ isInvited }) => !isInvited));
  const say = (text, replyTo) =>
    call(page, 'rooms.send', { room, text, ...(replyTo === undefined ? {} : { replyTo }) });
  const items = async () => (await call(page, 'rooms.page', { room, limit: 60 })).items;
  const heard = (words) => until(words, async () => (await items()).find(({ text }) => text?.includes(words)));
  await say(
    '**eu-3** is red since 14:02, nine letters in `render`:\n\n```\nOSError: [Errno 28] No space left on device\n```',
  );
  await heard('eu-3');
  await at('nadia', 'send', room, `@${me} I look at the disk`);
  const { messageId } = await heard('I look at the disk');
  await call(page, 'rooms.react', { room, messageId, emoji: '❤', isOff: false });
  await say('@planner which nodes take its frames?', messageId);
  await heard('eu-1 and eu-2');
  await call(page, 'rooms.attachBytes', {
    ...{ room, name: 'disk-of-eu-3.png', mime: 'image/png', data: await drawGraph(page) },
  });
  await until('the file is sent', async () => (await items()).some(({ attachment }) => attachment));
  await at('nadia', 'send', room, 'freed 40 GB, retry the letters');
  await heard('freed 40 GB');
}

/** The app on that server, with its rooms in sight. */
async function showRooms(page, url) {
  const context = { name: 'farm', kind: 'remote', url, colour: 'violet', isReadOnly: false };
  await call(page, 'connections.save', context);
  await call(page, 'connections.use', { name: context.name });
  await page.keyboard.press('Control+7');
  await page.getByText('You are in no room yet').waitFor();
  await until('membershipd', async () => (await page.getByText('Nobody orders the logs').count()) === 0);
}

/** Takes `rooms-dark.png` and `rooms-light.png` by the `takeBoth` that is given. */
export async function takeRooms({ page, profile, passphrase, takeBoth }) {
  const folder = await mkdtemp(join(tmpdir(), 'vak-screenshots-rooms-'));
  const passphraseFile = join(folder, 'passphrase');
  await writeFile(passphraseFile, passphrase, { mode: 0o600 });
  const company = createCompany(profile, passphraseFile);
  try {
    const port = await freePort();
    const url = ['--nats-url', `nats://127.0.0.1:${port}`];
    company.service('nats-server', ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', join(folder, 'store')]);
    await until('nats-server', () => answers(port));
    await company.vak(['provision', ...url]);
    company.vakService(['membershipd', ...url]);
    const answer = 'echo "eu-1 and eu-2 have room: 18 and 22 slots, 4 min to drain"';
    company.vakService(['chat', '--bot', '--agent', '--exec', answer, '--identity', 'planner', ...url]);
    await showRooms(page, url[1]);
    await talk({ page, company, url, me: 'operator' });
    await takeBoth();
    await call(page, 'connections.use', { name: 'embedded' });
  } finally {
    await company.end();
    await rm(folder, { recursive: true, force: true });
  }
}
