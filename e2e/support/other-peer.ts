/** A peer of the workspace whose profile is another one, as on a second machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { type ProgramRun, vak } from './set-up-profile.ts';

export interface OtherPeer {
  readonly profile: string;
  /** Its signed card, one line. */
  readonly card: string;
  /** Runs `vak` on its profile, which must succeed. */
  vak(...args: string[]): ProgramRun;
  /** A file of that machine. */
  file(name: string, content: string): string;
  remove(): void;
}

/** Runs `vak`, which must succeed. */
export function mustRun(profile: string, args: readonly string[]): ProgramRun {
  const ran = vak(profile, args);
  expect(ran.code, `vak ${args.join(' ')}: ${ran.stderr}`).toBe(0);
  return ran;
}

/** Makes it under the root of a workspace. */
export function createOtherPeer(peer: string, rootPublic: string, kind: 'human' | 'process' = 'human'): OtherPeer {
  const folder = mkdtempSync(join(tmpdir(), 'vak-e2e-other-'));
  const profile = join(folder, 'profile');
  const run = (...args: string[]): ProgramRun => mustRun(profile, args);
  run('id', 'new', '--root', rootPublic, '--identity', peer, '--kind', kind);
  return {
    profile,
    card: run('id', 'card', '--identity', peer).stdout,
    vak: run,
    file(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
