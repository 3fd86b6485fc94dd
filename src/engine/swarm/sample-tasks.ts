/**
 * Longer ones of the commands that the local swarm runs by itself: real ones, found on any Linux or macOS with a POSIX shell.
 * Law: they only read the machine; each prints a few coloured lines a second, never a flood.
 */
import type { TaskPayload } from '../../shared/protocol/payloads.ts';

/** Colours and small helpers that every script begins with. */
const prelude = `
say() { printf '\\033[%sm%s\\033[0m %s\\n' "$1" "$2" "$3"; }
bar() { printf '\\033[2m[\\033[0m\\033[32m'; i=0; while [ $i -lt 20 ]; do if [ $i -lt $(($1 / 5)) ]; then printf '#'; else printf '.'; fi; i=$((i + 1)); done; printf '\\033[0m\\033[2m]\\033[0m %3d%% %s\\n' "$1" "$2"; }
nap() { sleep 0.3 2>/dev/null || sleep 1; }
`;

const hashFiles = `
if command -v sha256sum >/dev/null; then hash=sha256sum; else hash='shasum -a 256'; fi
say '1;36' hash 'the first 24 programs of /usr/bin'
n=0
for f in /usr/bin/*; do
  [ -f "$f" ] && [ -r "$f" ] || continue
  sum=$($hash < "$f" | cut -c1-16)
  n=$((n + 1))
  bar $((n * 100 / 24)) "$sum $f"
  [ $n -ge 24 ] && break
  nap
done
say '1;32' ok "$n files hashed"
`;

const diskUsage = `
say '1;34' du 'sizes under /usr/share, largest first'
du -sk /usr/share/* 2>/dev/null | sort -rn | head -15 | while read -r size path; do
  if [ "$size" -gt 10240 ]; then colour=31; elif [ "$size" -gt 2048 ]; then colour=33; else colour=32; fi
  printf '\\033[%sm%10d KiB\\033[0m  %s\\n' "$colour" "$size" "$path"
  nap
done
`;

const packShare = `
say '1;35' pack 'compressing parts of /usr/share, keeping nothing'
for part in $(ls /usr/share | head -8); do
  bytes=$(tar -cf - -C /usr/share "$part" 2>/dev/null | head -c 8388608 | gzip -9 | wc -c)
  printf '\\033[36m%10d\\033[0m bytes packed  %s\\n' $bytes "$part"
  nap
done
say '1;32' ok 'nothing was written'
`;

const listFolders = `
for folder in / /usr /etc; do
  say '1;37;44' " $folder " ''
  { ls --color=always -la "$folder" 2>/dev/null || CLICOLOR_FORCE=1 ls -laG "$folder"; } | head -12 | while IFS= read -r line; do
    printf '%s\\n' "$line"
    nap
  done
done
`;

const sortNumbers = `
say '1;33' sort 'five rounds of 200 000 numbers'
round=1
while [ $round -le 5 ]; do
  top=$(awk -v seed=$round 'BEGIN { srand(seed); for (i = 0; i < 200000; i++) print int(rand() * 1000000000) }' | sort -n | tail -1)
  printf 'round \\033[1m%d\\033[0m  largest \\033[33m%s\\033[0m\\n' $round "$top"
  round=$((round + 1))
  nap
done
`;

const primes = `
say '1;36' awk 'sieve of primes, in steps of 60 000'
limit=60000
while [ $limit -le 360000 ]; do
  found=$(awk -v n=$limit 'BEGIN { for (i = 2; i <= n; i++) if (!(i in c)) { k++; for (j = i * i; j <= n; j += i) c[j] } print k }')
  printf '\\033[36m%7d\\033[0m primes below %d\\n' "$found" $limit
  limit=$((limit + 60000))
  nap
done
`;

const stepBuild = `
steps='resolve fetch compile-core compile-ui bundle test package'
n=0
for step in $steps; do
  n=$((n + 1))
  printf '\\033[2m%s\\033[0m \\033[1;34m[%d/7]\\033[0m %s ...\\n' "$(date '+%H:%M:%S')" $n "$step"
  wc -c /usr/bin/* >/dev/null 2>&1
  nap; nap
  [ $step = compile-ui ] && printf '\\033[33mwarning\\033[0m: 2 unused imports\\n' >&2
  printf '\\033[2m%s\\033[0m \\033[1;34m[%d/7]\\033[0m %s \\033[32mok\\033[0m\\n' "$(date '+%H:%M:%S')" $n "$step"
done
`;

const failingCheck = `
say '1;34' check 'settings of this machine'
for name in hosts passwd vak-settings-that-do-not-exist; do
  nap
  if [ -r "/etc/$name" ]; then printf '  \\033[32mok\\033[0m      /etc/%s (%d lines)\\n' "$name" "$(grep -c '' "/etc/$name")"
  else
    printf '\\033[1;31merror\\033[0m: /etc/%s: no such file\\n' "$name" >&2
    printf '  run the installer again, or restore it from a backup\\n' >&2
    exit 3
  fi
done
`;

const longWatch = `
say '1;35' watch 'load of this machine for 20 s'
n=0
while [ $n -lt 20 ]; do
  n=$((n + 1))
  bar $((n * 5)) "$(uptime | sed 's/.*load/load/')"
  sleep 1
done
`;

const holdMemory = `
say '1;31' memory 'building a table of 400 000 words'
awk 'BEGIN {
  for (i = 1; i <= 400000; i++) {
    words[i] = "word-" i "-" (i * 7919) % 104729
    if (i % 40000 == 0) { printf "\\033[35m%7d\\033[0m words held\\n", i; fflush(); system("sleep 0.4 2>/dev/null || sleep 1") }
  }
  n = 0
  for (i in words) n += length(words[i])
  printf "\\033[1m%d\\033[0m characters in all\\n", n
}'
`;

/** A task that runs a script with the helpers above; its first line is its label. */
export function shellTask(name: string, script: string): TaskPayload {
  return { command: ['sh', '-c', `# sample: ${name}${prelude}${script}`], cwd: '/', timeoutMs: 120_000 };
}

const scripts = {
  hash: hashFiles,
  build: stepBuild,
  du: diskUsage,
  watch: longWatch,
  primes,
  ls: listFolders,
  check: failingCheck,
  pack: packShare,
  sort: sortNumbers,
  memory: holdMemory,
} as const;

/** A sample by its name: `watch` takes 20 s, `check` fails with exit code 3. */
export function sampleTask(name: keyof typeof scripts): TaskPayload {
  return shellTask(name, scripts[name]);
}

/** Names of all samples. */
export const sampleNames = Object.keys(scripts) as readonly (keyof typeof scripts)[];
