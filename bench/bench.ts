/**
 * The bench's program: measures the wanted plans, prints a table, and writes all figures as JSON into a temporary file.
 * scripts/bench.mjs bundles and starts it; run by itself it needs `--expose-gc`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseBenchArgs, type plans } from './bench-args.ts';
import { openPublishGroup } from './p1-publish.ts';
import { openRoutingGroup } from './p2-routing.ts';
import { openDurableGroup } from './p3-durable.ts';
import { openNatsEngineGroup } from './p4-nats-engine.ts';
import { openRoomsGroup } from './p12-rooms.ts';
import { openPeersGroup } from './p14-peers.ts';
import { findRedisServer } from './redis-server.ts';
import { type Group, measureGroup, type NotMeasured, type Row } from './rounds.ts';
import { tableOf } from './table.ts';

const openers: Readonly<Record<(typeof plans)[number], () => Promise<Group>>> = {
  P1: openPublishGroup,
  P2: openRoutingGroup,
  P3: openDurableGroup,
  P4: openNatsEngineGroup,
  P12: openRoomsGroup,
  P14: openPeersGroup,
};

const { gc } = globalThis;

async function settle(): Promise<void> {
  gc?.();
  await new Promise((resolve) => setImmediate(resolve));
}

const require = createRequire(import.meta.url);

function versionOfPackage(name: string): string {
  const { version } = JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')) as { version: string };
  return version;
}

/** What ran, on what, and how busy it was. */
async function describeMachine() {
  const peers = ['nats', 'eventemitter2', 'bullmq', 'classic-level'];
  const redis = await findRedisServer();
  return {
    runtime: `Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}`,
    processors: `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}`,
    versions: {
      ...Object.fromEntries(peers.map((name) => [name, versionOfPackage(name)])),
      'nats-server': String(execFileSync('nats-server', ['--version'])).trim(),
      'redis-server': redis === undefined ? 'none' : String(execFileSync(redis, ['--version'])).trim(),
    },
    loadAverage: loadavg(),
  };
}

const { wanted, rounds, isGate } = parseBenchArgs(process.argv.slice(2));
const before = await describeMachine();
const versions = Object.entries(before.versions).map(([name, version]) => `${name} ${version}`);
const load = (): string =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
process.stdout.write(
  `${before.runtime}; ${before.processors}\n${versions.join('; ')}\nload average ${load()}; ${rounds} rounds\n\n`,
);
const rows: Row[] = [];
const notMeasured: NotMeasured[] = [];
for (const plan of wanted) {
  const startedAt = performance.now();
  const group = await openers[plan]();
  try {
    rows.push(...(await measureGroup(group, { rounds, settle })));
    notMeasured.push(...(group.notMeasured ?? []).map((one) => ({ plan, ...one })));
  } finally {
    await group.close();
  }
  process.stderr.write(`bench  ${plan} in ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
}
const missed = rows.filter(({ isMet }) => isMet === false).length;
const judged = rows.filter(({ isMet }) => isMet !== undefined).length;
const noisy = rows.filter(({ isNoisy }) => isNoisy).length;
const file = join(mkdtempSync(join(tmpdir(), 'vak-bench-result-')), 'bench.json');
const result = { ...before, loadAverageAfter: loadavg(), rounds, rows, notMeasured };
writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
process.stdout.write(
  [
    tableOf(rows, notMeasured),
    '',
    `${judged - missed} of ${judged} targets met; ${noisy} of ${rows.length} rows noisy (spread above 30 %)`,
    `load average ${load()} at the end`,
    `figures: ${file}\n`,
  ].join('\n'),
);
if (isGate && missed > 0) process.exitCode = 1;
