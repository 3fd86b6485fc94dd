import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { needsVirtualDisplay, rootSandbox, runInForeground, underVirtualDisplay } from './foreground.mjs';

const moduleUrl = new URL('foreground.mjs', import.meta.url).href;

describe('needsVirtualDisplay', () => {
  it.each([
    ['linux', {}, true],
    ['linux', { DISPLAY: '' }, true],
    ['linux', { DISPLAY: ':0' }, false],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, false],
    ['darwin', {}, false],
    ['win32', {}, false],
  ])('%s with %j: %s', (platform, env, expected) => {
    expect(needsVirtualDisplay({ platform, env })).toBe(expected);
  });
});

describe('underVirtualDisplay', () => {
  it('keeps every argument as it is', () => {
    const { command, args } = underVirtualDisplay('/a b/electron', ['--x', "it's", '']);
    expect(command).toBe('xvfb-run');
    expect(args.slice(0, 3)).toEqual(['-a', '-s', '-screen 0 1920x1080x24']);
    expect(args.slice(-4)).toEqual(['/a b/electron', '--x', "it's", '']);
  });
});

describe('rootSandbox', () => {
  it('is for root on Linux only', () => {
    expect(rootSandbox({ platform: 'linux', uid: 0 })).toEqual({
      args: ['--no-sandbox'],
      env: { VAK_DEV_NO_SANDBOX: '1' },
    });
    expect(rootSandbox({ platform: 'linux', uid: 1000 })).toBeUndefined();
    expect(rootSandbox({ platform: 'darwin', uid: 0 })).toBeUndefined();
  });
});

describe('runInForeground', () => {
  const runNode = (source) => runInForeground({ command: process.execPath, args: ['-e', source] });

  it("gives the program's exit code", async () => {
    expect(await runNode('process.exit(0)')).toBe(0);
    expect(await runNode('process.exit(42)')).toBe(42);
    expect(await runNode("process.kill(process.pid, 'SIGKILL')")).toBe(137);
  });

  it('says which program cannot be started', async () => {
    const attempt = runInForeground({ command: '/nowhere/electron', args: [] });
    await expect(attempt).rejects.toThrow('/nowhere/electron cannot be started');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('passes %s on to the program, which ends as it likes', async (signal) => {
    const { parent, output } = startParent(
      `process.on('${signal}', () => { console.log('got it'); process.exit(9); })`,
    );
    await output.until('ready');
    parent.kill(signal);
    expect((await once(parent, 'exit'))[0]).toBe(9);
    expect(output.text()).toBe('ready\ngot it\n');
  });

  it('ends a program that does not listen at the second signal', async () => {
    const { parent, output } = startParent("process.on('SIGINT', () => console.log('no'))");
    await output.until('ready');
    parent.kill('SIGINT');
    await output.until('no');
    parent.kill('SIGINT');
    expect((await once(parent, 'exit'))[0]).toBe(137);
  });

  it('waits for what the program started, when a signal has ended it', async () => {
    const { parent, output } = startModule(`
      import { runInForeground } from ${JSON.stringify(moduleUrl)};
      const rest = "process.on('SIGINT', () => {}); console.log('ready'); setTimeout(() => console.log('rest'), 1500)";
      const program = "require('node:child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit' }); setInterval(() => {}, 1000)";
      const code = await runInForeground({ command: process.execPath, args: ['-e', program, rest], waitsForRest: true });
      console.log('ended with', code);`);
    await output.until('ready');
    parent.kill('SIGINT');
    await once(parent, 'close');
    expect(output.text()).toBe('ready\nrest\nended with 130\n');
  });

  /** A process that runs a program in the foreground; the program says `ready` and stays. */
  function startParent(source) {
    const program = `${source}; setInterval(() => {}, 1000); console.log('ready');`;
    return startModule(`
      import { runInForeground } from ${JSON.stringify(moduleUrl)};
      process.exitCode = await runInForeground({ command: process.execPath, args: ['-e', ${JSON.stringify(program)}] });`);
  }
});

describe('runUntilSignal', () => {
  const lastWord = (work) =>
    startModule(`
      import { run } from ${JSON.stringify(new URL('child-process.mjs', moduleUrl).href)};
      import { runUntilSignal } from ${JSON.stringify(moduleUrl)};
      const code = await runUntilSignal(${work});
      console.log('ended with', code);`);

  it('gives the code of its work', async () => {
    const { parent, output } = lastWord('async () => 7');
    await once(parent, 'close');
    expect(output.text()).toBe('ended with 7\n');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s ends the program of its work, and the caller has the last word', async (signal, code) => {
    const { parent, output } = lastWord(`async (signal) => {
      const options = { signal, onLine: (line) => console.log(line) };
      return (await run(process.execPath, ['-e', 'console.log("ready"); setInterval(() => {}, 1000)'], options)).code;
    }`);
    await output.until('ready');
    parent.kill(signal);
    expect((await once(parent, 'close'))[0]).toBe(0);
    expect(output.text()).toBe(`ready\nended with ${code}\n`);
  });
});

/** A process that runs a module, and what it says. */
function startModule(source) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const parent = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio });
  let text = '';
  parent.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const until = async (word) => {
    while (!text.includes(word)) await once(parent.stdout, 'data');
  };
  return { parent, output: { text: () => text, until } };
}

describe('a parent that is gone', () => {
  it('takes the program along: npm ended by a signal of its own leaves nothing running', async () => {
    const script = `import { runInForeground } from ${JSON.stringify(moduleUrl)};
      await runInForeground({ command: process.execPath, args: ['-e', 'console.log(process.pid); setInterval(() => {}, 1000)'] });`;
    // The shell stands for npm: it starts the script and is killed alone.
    const shell = spawn('/bin/sh', ['-c', `'${process.execPath}' --input-type=module -e "$SCRIPT"; true`], {
      env: { ...process.env, SCRIPT: script },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(shell.stdout, 'data');
    const pid = Number(String(line).trim());
    shell.kill('SIGKILL');
    const isAlive = () => {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false;
      }
    };
    await expect.poll(isAlive, { timeout: 10_000 }).toBe(false);
  });
});
