/** What this process costs. Law: read from the operating system, over the time since the last reading. */
import type { Clock } from '../ports/clock.ts';

export interface ProcessUsage {
  /** 100 is one full core. */
  readonly cpuPercent: number;
  readonly rssBytes: number;
}

/** Creates a reader; its first reading covers the time since it was created. */
function createProcessUsageReader(clock: Clock): () => ProcessUsage {
  let lastCpu = process.cpuUsage();
  let lastMs = clock.monotonic();
  return () => {
    const cpu = process.cpuUsage();
    const nowMs = clock.monotonic();
    const usedMs = (cpu.user - lastCpu.user + cpu.system - lastCpu.system) / 1000;
    const elapsedMs = Math.max(1, nowMs - lastMs);
    lastCpu = cpu;
    lastMs = nowMs;
    return { cpuPercent: (usedMs / elapsedMs) * 100, rssBytes: process.memoryUsage.rss() };
  };
}

/** Keeps what was measured last; `sample` measures anew. */
export function createUsageSampler(clock: Clock): { usage(): ProcessUsage; sample(): void } {
  const read = createProcessUsageReader(clock);
  let usage = read();
  return {
    usage: () => usage,
    sample() {
      usage = read();
    },
  };
}
