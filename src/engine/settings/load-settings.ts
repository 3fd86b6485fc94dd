/**
 * One look at a settings file (product.md "Configuration").
 * Law: what cannot be used is set aside or left where it is, and said; it is never overwritten.
 */
import { basename } from 'node:path';
import { fieldsOf, type SettingsProblem } from '../../shared/settings/settings-problem.ts';
import { type ReadSettings, readSettings } from '../../shared/settings/settings-schema.ts';
import type { FileLock } from '../identity/file-lock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { readTextFile } from './read-text-file.ts';
import { setAside } from './set-aside.ts';
import { maxSettingsBytes } from './settings-text.ts';

/** Where the file is, and what is needed to read it. */
export interface SettingsSource {
  /** Path of `settings.json`. */
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Held while the file is moved or written. */
  readonly lock: FileLock;
}

/** What a look found. */
export interface SettingsState extends ReadSettings {
  readonly text: string;
  readonly signature: string;
  /** Why the file may not be written. */
  readonly obstacle: string | undefined;
}

/** A file that is being written is damaged for a moment: it is looked at again after so long, ms. */
const settleMs = 200;

/** The object, or why there is none. Of what the parser says only the place is taken: it quotes the text. */
function parseObject(text: string): { readonly value: unknown } | { readonly why: string } {
  try {
    const value: unknown = JSON.parse(text);
    return fieldsOf(value) === undefined ? { why: 'it is no JSON object' } : { value };
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    const line = text.slice(0, position === undefined ? undefined : Number(position)).split('\n').length;
    return { why: `it is no JSON object: it cannot be read from line ${line} on` };
  }
}

/** What a look found, before anything is done about it. */
export interface FoundSettings extends SettingsState {
  /** Why the file cannot be used. */
  readonly damaged?: string;
}

/** Reads the file as it is, and changes nothing. */
export async function readSettingsFile(file: string): Promise<FoundSettings> {
  const found = await readTextFile(file, { maxBytes: maxSettingsBytes });
  const empty = { text: '{}', ...readSettings({}), obstacle: undefined };
  if (found.kind === 'absent') return { ...empty, signature: '' };
  if (found.kind === 'unreadable') {
    const message = `${basename(file)}: ${found.reason}; defaults apply`;
    const problem: SettingsProblem = { code: 'forbidden', key: '', message };
    return { ...empty, problems: [problem], signature: '', obstacle: found.reason };
  }
  const damage = (damaged: string): FoundSettings => {
    const message = `${basename(file)}: ${damaged}; defaults apply`;
    const problem: SettingsProblem = { code: 'corrupt', key: '', message };
    return { ...empty, problems: [problem], signature: found.signature, obstacle: damaged, damaged };
  };
  if (found.kind === 'damaged') return damage(found.reason);
  const text = found.text.replace(/^\ufeff/, '');
  const parsed = parseObject(text);
  if ('why' in parsed) return damage(parsed.why);
  return { text, signature: found.signature, obstacle: undefined, ...readSettings(parsed.value) };
}

/** Sets the file aside if it is still the very one that was judged; undefined otherwise. */
async function moveAway({ file, clock, lock }: SettingsSource, judged: FoundSettings): Promise<string | undefined> {
  return await lock.run(async () => {
    const { signature } = await readSettingsFile(file);
    return signature === judged.signature ? await setAside(file, clock.now()) : undefined;
  });
}

/** Reads the file; one that is damaged, and stays so for a moment, is set aside. */
export async function loadSettings(source: SettingsSource): Promise<SettingsState> {
  const { file, clock, logger } = source;
  const first = await readSettingsFile(file);
  if (first.damaged === undefined) return first;
  await new Promise<void>((resolve) => clock.setTimer(settleMs, resolve));
  const second = await readSettingsFile(file);
  // Another file by now: it is still under the pen, and whoever looks next decides.
  if (second.damaged === undefined || second.signature !== first.signature) return second;
  logger.warn('settings.damaged', { reason: second.damaged });
  try {
    const aside = await moveAway(source, second);
    if (aside === undefined) return await readSettingsFile(file);
    const message = `${basename(file)}: ${second.damaged}; it was set aside as ${basename(aside)}, defaults apply`;
    return { ...second, problems: [{ code: 'corrupt', key: '', message }], signature: '', obstacle: undefined };
  } catch (error) {
    logger.bug('settings.set-aside', error);
    return second;
  }
}
