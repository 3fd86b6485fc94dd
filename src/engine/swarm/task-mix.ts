/**
 * The mix of tasks that the swarm's coordinator puts into its queue: most succeed, short ones mostly; some fail, each in a way of its own.
 * Law: only commands that read the machine; the first of all is the poison task, so that an operator soon has something to look into.
 */
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { sampleTask, shellTask } from './sample-tasks.ts';

const load = `
for i in 1 2 3; do say '1;36' load "$(uptime | sed 's/.*load/load/')"; nap; done
`;

const count = `
for folder in /bin /etc /usr/lib /usr/share; do printf '\\033[33m%6d\\033[0m entries in %s\\n' $(ls -a "$folder" 2>/dev/null | wc -l) "$folder"; nap; done
`;

const disk = `
df -Pk / | while read -r line; do printf '\\033[35m%s\\033[0m\\n' "$line"; nap; done
`;

const kernel = `
for flag in s r m; do printf '\\033[32m%s\\033[0m %s\\n' "$flag" "$(uname -$flag)"; nap; done
`;

const words = `
for f in /etc/passwd /etc/services /etc/hosts; do
  [ -r "$f" ] && printf '\\033[36m%7d\\033[0m words in %s\\n' $(wc -w < "$f") "$f"
  nap
done
say '1;32' ok 'all read'
`;

/** Fails in every other four seconds, so that a later try mostly succeeds. */
const flaky = `
say '1;34' fetch 'asks the clock of this machine'
nap
if [ $(($(date +%s) / 4 % 2)) = 0 ]; then
  printf '\\033[1;31merror\\033[0m: busy, try again\\n' >&2
  exit 75
fi
say '1;32' ok 'answered'
`;

const poison = `
say '1;34' migrate 'reads what it has to move'
[ -r /etc/vak-migration-that-does-not-exist ] || { printf '\\033[1;31merror\\033[0m: /etc/vak-migration-that-does-not-exist: no such file\\n' >&2; exit 1; }
`;

const killed = `
say '1;34' index 'the folders of /usr'
ls /usr
printf '\\033[1;31mout of memory\\033[0m: killing itself\\n' >&2
kill -KILL $$
`;

const flood = `
say '1;34' list 'everything under /usr/share'
ls -lR /usr/share 2>/dev/null
`;

const machine = `
say '1;36' report 'of this machine'
uname -a
uptime
df -Pk / | tail -1
say '1;32' ok 'approved, and done'
`;

/** Those that succeed, in the order in which they come round. */
const sound: readonly TaskPayload[] = [
  ...[shellTask('load', load), shellTask('count', count), shellTask('disk', disk), sampleTask('du')],
  ...[shellTask('kernel', kernel), shellTask('words', words), sampleTask('sort'), shellTask('load', load)],
  ...[shellTask('count', count), sampleTask('build'), shellTask('words', words), shellTask('disk', disk)],
  ...[sampleTask('memory'), shellTask('kernel', kernel), shellTask('load', load), sampleTask('pack')],
  ...[shellTask('count', count), shellTask('words', words), sampleTask('primes'), shellTask('disk', disk)],
  ...[sampleTask('ls'), shellTask('kernel', kernel), shellTask('load', load), sampleTask('hash')],
];

/** What stands at places of a round in the stead of what succeeds. */
const special: ReadonlyMap<number, TaskPayload> = new Map([
  [0, shellTask('poison', poison)],
  [6, sampleTask('watch')],
  [12, shellTask('flaky', flaky)],
  [24, { ...sampleTask('check'), maxRetries: 1 }],
  [40, { ...sampleTask('watch'), timeoutMs: 2_500, maxRetries: 0 }],
  [52, shellTask('flaky', flaky)],
  [64, { ...shellTask('killed', killed), maxRetries: 1 }],
  [70, sampleTask('watch')],
  [80, { ...shellTask('flood', flood), outputLimitBytes: 32 * 1024, maxRetries: 0 }],
  [96, shellTask('flaky', flaky)],
]);

/** Tasks of one round; then it begins anew. */
export const roundLength = 120;

/** The task at a place of the mix, which goes round for ever. */
export function mixedTask(index: number): TaskPayload {
  const place = index % roundLength;
  return special.get(place) ?? (sound[place % sound.length] as TaskPayload);
}

/** The task that an operator has to approve. */
export const approvedTask: TaskPayload = {
  ...shellTask('report', machine),
  approval: {
    title: 'Report on this machine',
    detail: 'A task of the local swarm wants to print name, load and disk of this machine. It only reads.',
  },
};
