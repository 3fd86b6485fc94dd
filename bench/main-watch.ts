/**
 * Main's own figures, taken inside main by a script that is loaded before the app: what a debugger asks would add to them.
 * Law: a signal begins a measurement, the next one ends it and leaves the figures in a file.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface MainFigures {
  /** 99 of 100 delays of the event loop are shorter, ms. */
  readonly delayMs: number;
  /** Percent of a core: main, the window's process, the one that draws. */
  readonly mainCpu: number;
  readonly windowCpu: number;
  readonly drawingCpu: number;
}

export interface MainWatch {
  /** Arguments for Electron, before all others. */
  readonly args: readonly string[];
  begin(pid: number): void;
  end(pid: number): Promise<MainFigures>;
}

const resolutionMs = 2;
const answerMs = 10_000;

/** Loaded into main before the app. A delay that the histogram counts includes the time between two looks. */
const hook = (file: string): string => `
const { app } = require('electron');
const { renameSync, writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const delays = monitorEventLoopDelay({ resolution: ${resolutionMs} });
let begun;
const secondsOf = (type) =>
  app.getAppMetrics().filter((one) => one.type === type).reduce((sum, { cpu }) => sum + cpu.cumulativeCPUUsage, 0);
const used = () => ({ atMs: performance.now(), main: process.cpuUsage(), window: secondsOf('Tab'), drawing: secondsOf('GPU') });
process.on('SIGUSR2', () => {
  if (begun === undefined) {
    delays.reset();
    delays.enable();
    begun = used();
    return;
  }
  delays.disable();
  const now = used();
  const main = process.cpuUsage(begun.main);
  const ms = now.atMs - begun.atMs;
  const figures = {
    delayMs: Math.max(0.1, delays.percentile(99) / 1e6 - ${resolutionMs}),
    mainCpu: (main.user + main.system) / 10 / ms,
    windowCpu: Math.max(0.1, ((now.window - begun.window) * 1e5) / ms),
    drawingCpu: Math.max(0.1, ((now.drawing - begun.drawing) * 1e5) / ms),
  };
  begun = undefined;
  writeFileSync(${JSON.stringify(file)} + '.new', JSON.stringify(figures));
  renameSync(${JSON.stringify(file)} + '.new', ${JSON.stringify(file)});
});
`;

/** Creates a watch that keeps its files in a folder. */
export function createMainWatch(folder: string): MainWatch {
  const script = join(folder, 'watch-main.cjs');
  const file = join(folder, 'watch-main.json');
  writeFileSync(script, hook(file));
  return {
    args: ['-r', script],
    begin(pid) {
      rmSync(file, { force: true });
      process.kill(pid, 'SIGUSR2');
    },
    async end(pid) {
      process.kill(pid, 'SIGUSR2');
      for (const endMs = performance.now() + answerMs; !existsSync(file); await sleep(20)) {
        if (performance.now() > endMs) throw new Error(`main gave no figures within ${answerMs} ms`);
      }
      return JSON.parse(readFileSync(file, 'utf8')) as MainFigures;
    },
  };
}
