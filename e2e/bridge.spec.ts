/** The hostile page: whatever a page says to the bridge, and whichever page it is, main answers with a code. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { ownProjectRoot } from '../scripts/files.mjs';
import type { ResultEnvelope } from '../src/shared/contract/define-contract.ts';
import { burst, invoke, readSnapshot } from './support/bridge.ts';
import { shareWorkbench, test, type Workbench } from './support/workbench.ts';

const shared = shareWorkbench();

/** Code of a refusal; the envelope must hold a short text and no stack. */
function codeOf(result: ResultEnvelope): string {
  if (result.ok) return 'ok';
  expect(Object.keys(result.error)).toEqual(expect.arrayContaining(['code', 'message']));
  expect(JSON.stringify(result.error)).not.toMatch(/\bat .*:\d+:\d+|\/out\/|\.ts\b/);
  expect(result.error.message.length).toBeLessThan(300);
  return result.error.code;
}

test.describe('our own page', () => {
  for (const [what, method] of [
    ['an unknown name', 'streams.steal'],
    ['__proto__', '__proto__'],
    ['a feature of Object', 'constructor'],
    ['a member of Object', 'streams.constructor'],
    ['the proto of a feature', 'streams.__proto__'],
    ['a snapshot', 'streams.status'],
    ['a feed', 'streams.rows'],
    ['nothing', ''],
    ['a number', 7],
    ['an object', { toString: 'streams.read' }],
  ] as const) {
    test(`is refused a method that is ${what}`, async () => {
      expect(codeOf(await invoke(shared().page, method, {}))).toBe('unknown-method');
    });
  }

  for (const [what, method, input] of [
    ['of the wrong type', 'streams.read', { seq: '1' }],
    ['that is missing', 'streams.read', undefined],
    ['that is null', 'streams.read', null],
    ['out of range', 'swarm.start', { workers: 65 }],
    ['that is no whole number', 'swarm.start', { workers: 1.5 }],
    ['with an empty command', 'swarm.run', { command: [] }],
    ['with a proto of its own', 'swarm.cancel', JSON.parse('{"__proto__": {"taskId": "x"}}')],
  ] as const) {
    test(`is refused an input ${what}`, async () => {
      expect(codeOf(await invoke(shared().page, method, input))).toBe('invalid-input');
    });
  }

  for (const [what, build] of [
    ['of 3 MB', () => ({ command: ['x'.repeat(3_000_000)] })],
    ['of 200 000 parts', () => ({ command: Array.from({ length: 200_000 }, () => '') })],
    ['nested 60 deep', () => Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner }), {})],
  ] as const) {
    test(`is refused an input ${what}`, async () => {
      expect(codeOf(await invoke(shared().page, 'swarm.run', build()))).toBe('limit-exceeded');
    });
  }

  test('is refused a call id that is no text, empty or too long', async () => {
    const { page } = shared();
    for (const callId of [7, {}, '', 'x'.repeat(65)]) {
      expect(codeOf(await invoke(page, 'streams.read', { seq: 1 }, callId)), JSON.stringify(callId)).toBe(
        'invalid-input',
      );
    }
  });

  test('is refused a second call with an id that is under way, and the first goes on', async () => {
    const { page } = shared();
    const results = await page.evaluate(async () => {
      const start = (): Promise<ResultEnvelope> =>
        window.bridge.invoke('twice', 'swarm.run', { command: ['true'], cwd: '/' });
      return await Promise.all([start(), start()]);
    });
    expect(results.map(codeOf)).toEqual(['ok', 'invalid-input']);
  });

  test('cancels its own call, and no other by a wrong id', async () => {
    const { page } = shared();
    const codes = await page.evaluate(async () => {
      const start = (id: string): Promise<ResultEnvelope> =>
        window.bridge.invoke(id, 'swarm.run', { command: ['true'], cwd: '/' });
      const calls = [start('kept'), start('cancelled')];
      for (const id of ['cancelled', '1:kept', 'kep', 'toString'] as const) window.bridge.cancel(id);
      window.bridge.cancel(undefined as unknown as string);
      return await Promise.all(calls);
    });
    expect(codes.map(codeOf)).toEqual(['ok', 'aborted']);
  });

  test('is told why when a feed cannot be opened', async () => {
    const { page } = shared();
    const codes = await Promise.all(
      [
        ['streams.nothing', {}],
        ['__proto__', {}],
        [7, {}],
        ['streams.rows', { pattern: '>' }],
        ['streams.rows', { pattern: 'a..b', fromSeq: 0 }],
        ['streams.rows', { pattern: 'x'.repeat(3_000_000), fromSeq: 0 }],
        ['streams.session', { session: 'a.b', fromSeq: 0 }],
      ].map(([name, params]) => openFeed(page, name, params)),
    );
    expect(codes).toEqual([
      'not-found',
      'not-found',
      'invalid-input',
      'invalid-input',
      'invalid-pattern',
      'limit-exceeded',
      'invalid-subject',
    ]);
  });

  for (const [what, garbage] of [
    ['a text', 'credits'],
    ['too many credits', { credits: 1e9 }],
    ['no credits', { credits: 0 }],
    ['half a credit', { credits: 1.5 }],
    ['nothing', null],
  ] as const) {
    test(`has a port closed that posts ${what} instead of credits`, async () => {
      expect(await openFeed(shared().page, 'streams.rows', { pattern: '>', fromSeq: 0 }, garbage)).toBe('closed');
    });
  }
});

/** Opens a feed; answers the code that it ends with, or `closed` when main closes the port after `post` was posted on it. */
function openFeed(page: Page, name: unknown, params: unknown, post?: unknown): Promise<string> {
  return page.evaluate(
    (wanted) =>
      new Promise<string>((resolve) => {
        const feedId = crypto.randomUUID();
        const onPort = (event: MessageEvent): void => {
          if (event.data?.bridgeFeed !== feedId) return;
          window.removeEventListener('message', onPort);
          const port = event.ports[0] as MessagePort;
          port.onmessage = ({ data }) => {
            if ('error' in data) resolve(data.error.code);
          };
          port.addEventListener('close', () => resolve('closed'));
          if (wanted.posts) port.postMessage(wanted.post);
        };
        window.addEventListener('message', onPort);
        window.bridge.openFeed(feedId, wanted.name as string, wanted.params);
      }),
    { name, params, post, posts: post !== undefined },
  );
}

/** What a strange page tries with the bridge, as a script for a frame. */
const attack = `(async () => {
  const invoke = (method, input) => bridge.invoke('c' + Math.random(), method, input).then((r) => (r.ok ? 'ok' : r.error.code));
  const feed = new Promise((resolve) => {
    addEventListener('message', (event) => {
      if (event.data?.bridgeFeed !== 'f') return;
      event.ports[0].onmessage = ({ data }) => resolve('error' in data ? data.error.code : 'frame');
    });
    // A page without an origin cannot even be sent its port.
    try { bridge.openFeed('f', 'streams.rows', { pattern: '>', fromSeq: 0 }); } catch { resolve('no port'); }
  });
  globalThis.stolen = [];
  bridge.onSnapshot((update) => stolen.push(update.name));
  bridge.cancel('kept');
  return {
    read: await invoke('streams.read', { seq: 1 }),
    run: await invoke('swarm.run', { command: ['true'] }),
    unknown: await invoke('nothing', {}),
    feed: await feed,
  };
})()`;
const refused = { read: 'forbidden', run: 'forbidden', unknown: 'forbidden', feed: 'forbidden' };
const refusedWithoutOrigin = { ...refused, feed: 'no port' };

/** Makes the engine push snapshots, waits until our page has them, then answers what the strange frames got. */
async function stolenAfterPush({ app, page }: Workbench, id: number): Promise<unknown> {
  const before = await readSnapshot(page, 'streams.status');
  const pushed = page.evaluate(
    (seq) =>
      new Promise<void>((resolve) => {
        window.bridge.onSnapshot(({ name, text }) => {
          if (name === 'streams.status' && (JSON.parse(text) as { newestSeq: number }).newestSeq > seq) resolve();
        });
      }),
    before.newestSeq,
  );
  await burst(page, 'secret', 3);
  await pushed;
  return await app.evaluate(async ({ webContents }, wanted) => {
    const frames = webContents.fromId(wanted)?.mainFrame.framesInSubtree ?? [];
    return await Promise.all(frames.map((frame) => frame.executeJavaScript('globalThis.stolen ?? []')));
  }, id);
}

test.describe('a strange page', () => {
  const preload = join(ownProjectRoot, 'out', 'preload', 'preload.cjs');

  for (const [what, url] of [
    ['from a data: address', 'data:text/html,<title>strange</title>'],
    ['from a file', `file://${join(ownProjectRoot, 'package.json')}`],
    ['of our own origin in a window that is not ours', 'app://workbench/index.html'],
  ] as const) {
    test(`${what} with our preload is refused calls, feeds and snapshots`, async () => {
      const workbench = shared();
      const { id, outcome } = await workbench.app.evaluate(
        async ({ BrowserWindow }, wanted) => {
          const isOwn = wanted.url.startsWith('app:');
          const window = new BrowserWindow({
            show: false,
            webPreferences: {
              preload: wanted.preload,
              sandbox: true,
              contextIsolation: true,
              // The session of the app lets nothing load that is not its own.
              ...(isOwn ? {} : { partition: 'strange' }),
            },
          });
          await window.loadURL(wanted.url);
          return { id: window.webContents.id, outcome: await window.webContents.executeJavaScript(wanted.attack) };
        },
        { preload, url, attack },
      );
      expect(outcome).toEqual(url.startsWith('data:') ? refusedWithoutOrigin : refused);
      expect(await stolenAfterPush(workbench, id)).toEqual([[]]);
      await endWindow(workbench, id);
      workbench.takeProblems();
    });
  }

  test('in a frame of a window that has our preload in its frames is refused calls, feeds and snapshots', async () => {
    const workbench = shared();
    const inner = join(workbench.profile, 'inner.html');
    const outer = join(workbench.profile, 'outer.html');
    writeFileSync(inner, 'inner');
    writeFileSync(outer, '<iframe src="inner.html"></iframe>');
    const { id, outcomes } = await workbench.app.evaluate(
      async ({ BrowserWindow }, wanted) => {
        const window = new BrowserWindow({
          show: false,
          webPreferences: {
            preload: wanted.preload,
            sandbox: true,
            contextIsolation: true,
            nodeIntegrationInSubFrames: true,
            partition: 'strange-frames',
          },
        });
        // The app denies frames their navigation: this wall is taken down, to see that the next one stands.
        window.webContents.removeAllListeners('will-frame-navigate');
        await window.loadFile(wanted.outer);
        const frames = window.webContents.mainFrame.framesInSubtree;
        const answers: unknown[] = [];
        for (const frame of frames) answers.push(await frame.executeJavaScript(wanted.attack));
        return { id: window.webContents.id, outcomes: answers };
      },
      { preload, attack, outer },
    );
    expect(outcomes).toEqual([refused, refused]);
    expect(await stolenAfterPush(workbench, id)).toEqual([[], []]);
    await endWindow(workbench, id);
    workbench.takeProblems();
  });

  test('in a frame of the workbench has no bridge, and main would refuse it', async () => {
    const { app, page } = shared();
    const hasBridge = await page.evaluate(() => {
      const frame = document.createElement('iframe');
      frame.id = 'inner';
      document.body.append(frame);
      return frame.contentWindow !== null && 'bridge' in frame.contentWindow;
    });
    expect(hasBridge).toBe(false);
    // The event that Electron would make for that frame, given to the very handler that main has registered.
    const results = await app.evaluate(async ({ BrowserWindow, ipcMain }) => {
      const sender = BrowserWindow.getAllWindows()[0]?.webContents;
      const inner = sender?.mainFrame.frames[0];
      const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => unknown> })
        ._invokeHandlers;
      const asked = (senderFrame: unknown): unknown =>
        handlers.get('bridge:invoke')?.({ sender, senderFrame }, 'id', 'streams.read', { seq: 1 });
      return await Promise.all([asked(inner), asked(null), asked(sender?.mainFrame)]);
    });
    expect((results as ResultEnvelope[]).map(codeOf).slice(0, 2)).toEqual(['forbidden', 'forbidden']);
    expect(codeOf(results[2] as ResultEnvelope)).not.toBe('forbidden');
    await page.evaluate(() => document.getElementById('inner')?.remove());
  });

  test('cannot cancel a call of the workbench', async () => {
    const workbench = shared();
    const { app, page } = workbench;
    const id = await app.evaluate(async ({ BrowserWindow }, wanted) => {
      const window = new BrowserWindow({
        show: false,
        webPreferences: { preload: wanted, sandbox: true, contextIsolation: true, partition: 'strange' },
      });
      await window.loadURL('data:text/html,strange');
      return window.webContents.id;
    }, preload);
    const running = page.evaluate(() => window.bridge.invoke('mine', 'swarm.run', { command: ['true'], cwd: '/' }));
    await app.evaluate(
      ({ webContents }, wanted) => webContents.fromId(wanted)?.executeJavaScript("bridge.cancel('mine')"),
      id,
    );
    expect(codeOf(await running)).toBe('ok');
    await endWindow(workbench, id);
    workbench.takeProblems();
  });
});

async function endWindow({ app }: Workbench, id: number): Promise<void> {
  await app.evaluate(({ BrowserWindow, webContents }, wanted) => {
    const contents = webContents.fromId(wanted);
    if (contents) BrowserWindow.fromWebContents(contents)?.destroy();
  }, id);
}

test.describe('the app:// scheme', () => {
  test('serves the page with its policy, and nothing outside its folder, of another host or by another method', async () => {
    const { app } = shared();
    const answers = await app.evaluate(
      async ({ session }, requests) =>
        await Promise.all(
          requests.map(async ([url, method]) => {
            const answer = await session.defaultSession.fetch(url, { method }).catch((error: Error) => error.message);
            if (typeof answer === 'string') return answer;
            return `${answer.status} ${answer.headers.get('content-security-policy') ?? ''}`.trim();
          }),
        ),
      [
        ['app://workbench/index.html', 'GET'],
        ['app://workbench/index.html', 'POST'],
        ['app://workbench/index.html', 'HEAD'],
        ['app://workbench/nothing.html', 'GET'],
        ['app://workbench/', 'GET'],
        ['app://workbench/../main/main.js', 'GET'],
        ['app://workbench/%2e%2e/main/main.js', 'GET'],
        ['app://workbench/..%2fmain%2fmain.js', 'GET'],
        ['app://workbench/assets/..%2f..%2f..%2fpackage.json', 'GET'],
        ['app://workbench/..%5c..%5cpackage.json', 'GET'],
        ['app://workbench/index.html%00.js', 'GET'],
        ['app://other/index.html', 'GET'],
      ] as const,
    );
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    expect(answers[0]).toBe(`200 ${policy}`);
    for (const answer of answers.slice(1)) expect(answer).toMatch(/^40[34]$/);
    expect(answers.slice(1, 3)).toEqual(['403', '403']);
  });
});

test('a page that is put into our window by force is refused, and gets no snapshots', async ({ workbench }) => {
  const { app } = workbench;
  const outcome = await app.evaluate(async ({ BrowserWindow }, script) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    await contents?.loadURL('about:blank');
    return await contents?.executeJavaScript(script);
  }, attack);
  expect(outcome).toEqual(refusedWithoutOrigin);
  const stolen = await app.evaluate(async ({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    // The engine pushes app.status each second, whatever happens.
    return await contents?.executeJavaScript(
      'new Promise((resolve) => { let ticks = 0; const timer = setInterval(() => { if (++ticks < 15 && stolen.length === 0) return; clearInterval(timer); resolve(stolen); }, 100); })',
    );
  });
  expect(stolen).toEqual([]);
  workbench.takeProblems();
});
