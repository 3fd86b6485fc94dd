/** `vak doctor`: how well this profile and its connection protect what they hold, part by part, and what to do where they are weak. */
import { testConnection } from '../../engine/connections/test-connection.ts';
import { busSettingsOf } from '../../engine/settings/bus-settings.ts';
import { backupAdvice } from '../../shared/base/backup-words.ts';
import {
  type Judged,
  judgedOk,
  judgedWeak,
  judgeEngine,
  judgeServer,
  judgeTransport,
  notJudged,
} from '../../shared/base/posture.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { backupStanding, backupTime } from './backups.ts';
import { withBus } from './bus-connection.ts';
import { type CliHost, type Command, type CommonOptions, type ExitCode, exitCodes } from './command.ts';
import { contextNeed, passNeed, serverNeed } from './example-needs.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { opensUnasked, unlockKeyStore } from './passphrase.ts';
import { checkProfile, type Profile, withProfile } from './profile.ts';
import { settingsFor } from './settings-for.ts';
import { textTable } from './text-table.ts';

interface Part extends Judged {
  readonly id: 'keyStore' | 'backup' | 'engine' | 'server' | 'transport' | 'runtime';
  readonly label: string;
}

/** What a failure says, as far as it is one that was to be expected. */
async function failureOf(work: Promise<unknown>): Promise<VakError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!isVakError(error) || error.code === 'aborted') throw error;
    return error;
  }
}

/** Opens the key store where that asks nobody: nobody is asked for a look. */
async function judgeKeyStore({ keyStore }: Profile, host: CliHost): Promise<Judged> {
  const { kind, slots, reason } = keyStore.state();
  if (kind === 'absent') return judgedWeak('there is none in this profile', 'Make one with vak id new.');
  if (kind === 'corrupt') return judgedWeak(reason ?? 'it is damaged', 'Restore a backup with vak id restore.');
  if (!slots.includes('passphrase') && !host.vault.backend().isReal) {
    const advice = 'Set a passphrase in the app (Identity & access), so that commands can open it.';
    return judgedWeak('only the keychain of the app opens it', advice);
  }
  const words = `opens with ${slots.map((slot) => (slot === 'keychain' ? 'the keychain of the app' : 'a passphrase')).join(' or ')}`;
  if (!opensUnasked(keyStore, host)) return judgedOk(`${words}; locked`);
  const failed = await failureOf(unlockKeyStore(keyStore, host));
  if (failed === undefined) return judgedOk(words);
  return judgedWeak(`does not open: ${failed.message}`, 'Let VAK_PASSPHRASE_FILE name a file with its passphrase.');
}

/** Whether keys have changed since can be told only of keys that are open. */
async function judgeBackup(profile: Profile, host: CliHost): Promise<Judged> {
  const { keyStore } = profile;
  if (keyStore.state().kind === 'absent') return notJudged('there is nothing to back up');
  const isOpen = keyStore.state().kind === 'unlocked';
  const standing = await backupStanding(profile, isOpen ? keyStore.read() : undefined, host);
  const advice = backupAdvice(standing);
  if (advice !== undefined) return judgedWeak(backupTime(standing), `${advice} Use vak id backup.`);
  return isOpen
    ? judgedOk(backupTime(standing))
    : notJudged(`${backupTime(standing)}; what has changed since is locked`);
}

interface Connected {
  readonly judged: Judged;
  readonly server: { readonly name: string; readonly version: string } | null;
  readonly rttMs: number | null;
  /** What a failure of connecting comes to. */
  readonly code: ExitCode;
}

async function tryServer(common: CommonOptions, profile: Profile, host: CliHost): Promise<Connected> {
  const { kind } = busSettingsOf(settingsFor(common, profile.settings.settings()));
  const nothing = { server: null, rttMs: null, code: exitCodes.done };
  if (kind === 'embedded') return { ...nothing, judged: judgeServer({ kind, server: null, missing: [] }) };
  let found: Connected | undefined;
  const failed = await failureOf(
    withBus({ common, profile, host }, async (fabric) => {
      const { server, missing, rttMs } = await testConnection(fabric, host.signal);
      found = { judged: judgeServer({ kind, server, missing }), server, rttMs, code: exitCodes.done };
    }),
  );
  if (found !== undefined) return found;
  if (failed === undefined) throw new TypeError('the connection gave neither a report nor an error');
  const advice = 'See vak context ls and vak context test.';
  return { ...nothing, judged: judgedWeak(failed.message, advice), code: exitCodeOf(failed) };
}

const tones = { ok: 'ok', weak: 'weak', unknown: '–' } as const;

/** A row a part; what to do stands below it. */
function partsText(parts: readonly Part[]): string {
  const rows = parts.flatMap(({ label, tone, words, advice }) => [
    [label, tones[tone], words],
    ...(advice === null ? [] : [['', '', advice]]),
  ]);
  return textTable(rows).trimEnd();
}

export const doctorCommand: Command = {
  words: ['doctor'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Looks at key store, backup, engine, server and transport, and says what is weak and what to do.',
  notes: `Prints {ok, version, profile, workspace, context, server: {name, version} or null, rttMs, parts: [{id, label, tone: ok|weak|unknown,
words, advice}]}. Exit code 0: nothing is weak; 1: something is; 3: the server cannot be reached. Nobody is asked for a passphrase: without
VAK_PASSPHRASE_FILE the key store stays locked. What only the app knows, its sandbox and its keychain, stands in its Settings.`,
  needs: `${passNeed}; ${contextNeed}; ${serverNeed}; a backup (vak id backup)`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak doctor --context prod\nvak doctor --json',
  async run({ common }, host) {
    return await withProfile(common, host, async (profile) => {
      checkProfile(profile, common);
      const { context, kind, natsUrl } = busSettingsOf(settingsFor(common, profile.settings.settings()));
      const keyStore = await judgeKeyStore(profile, host);
      const backup = await judgeBackup(profile, host);
      const { judged, server, rttMs, code } = await tryServer(common, profile, host);
      const parts: readonly Part[] = [
        { id: 'keyStore', label: 'Key store', ...keyStore },
        { id: 'backup', label: 'Backup', ...backup },
        { id: 'engine', label: 'Engine', ...judgeEngine(kind) },
        { id: 'server', label: 'Server', ...judged },
        { id: 'transport', label: 'Transport', ...judgeTransport(kind, natsUrl) },
        { id: 'runtime', label: 'Runtime', ...judgedOk(`vak ${host.version} · Node ${process.versions.node}`) },
      ];
      const ok = parts.every(({ tone }) => tone !== 'weak');
      const where = { version: host.version, profile: common.profile, workspace: common.workspace, context };
      host.output.data({ ok, ...where, server, rttMs, parts }, partsText(parts));
      if (code === exitCodes.unreachable) return code;
      return ok ? exitCodes.done : exitCodes.no;
    });
  },
};
