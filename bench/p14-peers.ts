/**
 * P14: the app with 2 000 peers beside the app with 20, on one server: tree, table and charts are to be as smooth, and keys as quick.
 * Law: each figure is of an app that was started anew; every message that was sent must have been received, or there is no figure.
 */
import { loadavg } from 'node:os';
import { startNatsServer } from '../tests/support/nats-server.ts';
import { type AppFigures, measureApp } from './measured-app.ts';
import { type PeerLoad, startPeerLoad } from './peer-load.ts';
import { createPeerWorkspace } from './peer-workspace.ts';
import type { Comparison, Group, Side } from './rounds.ts';
import { short } from './table.ts';

const many = 2_000;
const few = 20;
/** Longest that one look at the app takes, with room for a slow machine. */
const playSeconds = 60;
/** What an operator feels as at once, ms. */
const keyBoundMs = 100;

const units: Readonly<Record<keyof AppFigures, string>> = {
  tableFps: 'frames/s',
  chartFps: 'frames/s',
  longestFrame: 'ms',
  tableKey: 'ms',
  treeKey: 'ms',
  filterKey: 'ms',
  mainDelay: 'ms',
  mainCpu: '% of a core',
  windowCpu: '% of a core',
  drawingCpu: '% of a core',
};
const titles: Readonly<Record<keyof AppFigures, string>> = {
  tableFps: 'frames, tree and table',
  chartFps: 'frames, tree and charts',
  longestFrame: 'longest frame',
  tableKey: 'key in the table, p95',
  treeKey: 'key in the tree, p95',
  filterKey: 'key in the filter, p95',
  mainDelay: 'delay of main’s event loop, p99',
  mainCpu: 'CPU of main',
  windowCpu: 'CPU of the window',
  drawingCpu: 'CPU of drawing',
};
const figureNames = Object.keys(units) as readonly (keyof AppFigures)[];
const bound = 'bound';
const frames = { atLeast: 0.9 };

const nameOf = (peers: number, figure: keyof AppFigures): string => `${figure} at ${peers}`;
const isKey = (figure: keyof AppFigures): boolean => figure.endsWith('Key');

const comparisons: readonly Comparison[] = [
  ...figureNames.map((figure) => ({
    title: `${titles[figure]} : at ${few} peers`,
    ours: nameOf(many, figure),
    peer: nameOf(few, figure),
    ...(figure.endsWith('Fps') ? { target: frames } : {}),
  })),
  ...figureNames.filter(isKey).map((figure) => ({
    title: `${titles[figure]} : ${keyBoundMs} ms`,
    ours: nameOf(many, figure),
    peer: bound,
    target: { atMost: 1 },
  })),
];

/** The figures of one load: the app is looked at again as soon as one of them is asked for a second time. */
function sidesOf(peers: number, look: () => Promise<AppFigures>): Readonly<Record<string, Side>> {
  let figures: AppFigures | undefined;
  const given = new Set<keyof AppFigures>();
  const sideOf = (figure: keyof AppFigures): Side => ({
    unit: units[figure],
    async measure() {
      if (figures === undefined || given.has(figure)) {
        given.clear();
        figures = await look();
      }
      given.add(figure);
      return figures[figure];
    },
  });
  return Object.fromEntries(figureNames.map((figure) => [nameOf(peers, figure), sideOf(figure)]));
}

const say = (text: string): void => void process.stderr.write(`bench  P14 ${text}\n`);

/** One look at the app with so many peers; what is no figure of the table is said in a line. */
async function lookAt(profile: string, load: PeerLoad, peers: number): Promise<AppFigures> {
  const { figures, report, longTasks, droppedCount } = await measureApp(profile, load, peers);
  const { sentCount, elapsedMs, latestMs } = report;
  const rate = short((sentCount * 1000) / elapsedMs);
  say(
    `${peers} peers: ${sentCount} sent and received, ${rate}/s, the latest ${short(latestMs)} ms late; ${droppedCount} rows dropped and counted; ` +
      `${longTasks.count} long tasks, the longest ${short(longTasks.longestMs)} ms; load average ${loadavg()[0]?.toFixed(1)}; ` +
      figureNames.map((figure) => `${figure} ${short(figures[figure])}`).join(', '),
  );
  return figures;
}

export async function openPeersGroup(): Promise<Group> {
  const opened: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    const server = await startNatsServer();
    opened.push(server.stop);
    const { profile, secrets, remove } = await createPeerWorkspace(many, server.url);
    opened.push(remove);
    const load = await startPeerLoad(server.url, secrets, playSeconds);
    opened.push(load.close);
    say(load.about);
    return {
      plan: 'P14',
      sides: {
        ...sidesOf(many, () => lookAt(profile, load, many)),
        ...sidesOf(few, () => lookAt(profile, load, few)),
        [bound]: { unit: 'ms', measure: async () => keyBoundMs },
      },
      comparisons,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
