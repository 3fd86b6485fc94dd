/**
 * Processes as Linux tells them in /proc.
 * Law: the name of a program may hold anything, so a stat line is read from its last parenthesis on.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessRow, type ProcessTable, withDescendantRows } from './process-rows.ts';

/** What the kernel counts in. */
export interface LinuxUnits {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

/** Parses /proc/<pid>/stat (proc(5)); undefined for what is no such line. */
export function parseStat(text: string, units: LinuxUnits): ProcessRow | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 1 || close < open) return undefined;
  const pid = Number(text.slice(0, open));
  // Field 3 of proc(5), the state, is the first after the name.
  const fields = text
    .slice(close + 2)
    .trimEnd()
    .split(' ');
  const at = (number: number): number => Number(fields[number - 3]);
  const msPerTick = 1000 / units.ticksPerSecond;
  const row: ProcessRow = {
    pid,
    ppid: at(4),
    pgid: at(5),
    sid: at(6),
    isZombie: fields[0] === 'Z' || fields[0] === 'X' || fields[0] === 'x',
    cpuMs: (at(14) + at(15)) * msPerTick,
    collectedCpuMs: (at(16) + at(17)) * msPerTick,
    rssBytes: Math.max(0, at(24)) * units.pageBytes,
    startedMs: at(22) * msPerTick,
  };
  return Object.values(row).every((value) => typeof value === 'boolean' || Number.isFinite(value)) ? row : undefined;
}

/** Reads page size and clock ticks out of the auxiliary vector (getauxval(3)); what is missing takes the usual value. */
export function parseAuxiliaryVector(bytes: Uint8Array, wordBytes: 4 | 8): LinuxUnits {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (at: number): number =>
    wordBytes === 8 ? Number(view.getBigUint64(at, true)) : view.getUint32(at, true);
  const values = new Map<number, number>();
  for (let at = 0; at + 2 * wordBytes <= bytes.length; at += 2 * wordBytes) values.set(word(at), word(at + wordBytes));
  const pageSize = 6;
  const clockTicks = 17;
  return { pageBytes: values.get(pageSize) || 4096, ticksPerSecond: values.get(clockTicks) || 100 };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Vanished, or not ours to read.
    return undefined;
  }
}

function listNumbers(path: string): number[] {
  try {
    return readdirSync(path).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readUnits(): LinuxUnits {
  const wordBytes = process.arch === 'arm' || process.arch === 'ia32' ? 4 : 8;
  return parseAuxiliaryVector(Buffer.from(readText('/proc/self/auxv') ?? '', 'latin1'), wordBytes);
}

/** Children of every thread of a process. */
function childrenOf(pid: number): number[] {
  const children: number[] = [];
  for (const thread of listNumbers(`/proc/${pid}/task`)) {
    const text = readText(`/proc/${pid}/task/${thread}/children`) ?? '';
    for (const child of text.split(' ')) if (child !== '') children.push(Number(child));
  }
  return children;
}

/** Creates the table over /proc. */
export function createLinuxProcessTable(): ProcessTable {
  const units = readUnits();
  const canListChildren = readText('/proc/thread-self/children') !== undefined;

  function read(pid: number): ProcessRow | undefined {
    const text = readText(`/proc/${pid}/stat`);
    return text === undefined ? undefined : parseStat(text, units);
  }

  function readAll(): ProcessRow[] {
    return listNumbers('/proc').flatMap((pid) => read(pid) ?? []);
  }

  function walk(pids: readonly number[]): ProcessRow[] {
    const found = new Map<number, ProcessRow>();
    const waiting = [...pids];
    for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
      if (found.has(pid)) continue;
      const row = read(pid);
      if (row === undefined) continue;
      found.set(pid, row);
      waiting.push(...childrenOf(pid));
    }
    return [...found.values()];
  }

  return {
    all: async () => readAll(),
    withDescendants: async (pids) => (canListChildren ? walk(pids) : withDescendantRows(readAll(), new Set(pids))),
    async withEnvironment(entry) {
      const wanted = `\0${Buffer.from(entry).toString('latin1')}\0`;
      return listNumbers('/proc').filter((pid) => {
        const text = readText(`/proc/${pid}/environ`);
        return text !== undefined && text !== '' && `\0${text}\0`.includes(wanted);
      });
    },
    uptimeMs: () => Number.parseFloat(readText('/proc/uptime') ?? '0') * 1000,
  };
}
