/** Forty ways in which real commands fail, each with what differs from one occurrence to the next. */
import { spawnSync } from 'node:child_process';

export interface RealFailure {
  readonly name: string;
  /** `id`: a word that no other occurrence has; `folder`: an empty one that is there. */
  command(id: string, folder: string): readonly string[];
}

type Script = (id: string, folder: string) => string;

const failure = (name: string, command: RealFailure['command']): RealFailure => ({ name, command });
const sh = (name: string, script: Script): RealFailure =>
  failure(`sh ${name}`, (id, folder) => ['sh', '-c', script(id, folder)]);
const node = (name: string, script: Script): RealFailure =>
  failure(`node ${name}`, (id, folder) => [process.execPath, '-e', script(id, folder)]);
const python = (name: string, script: Script): RealFailure =>
  failure(`python ${name}`, (id, folder) => ['python3', '-c', script(id, folder)]);

const shFailures: readonly RealFailure[] = [
  sh('no such program', () => 'frobnicate --all'),
  sh('no file', (_, folder) => `cat ${folder}/input.txt`),
  sh('no folder', (_, folder) => `cd ${folder}/sub/deeper`),
  sh('not allowed to run', (_, folder) => `: >${folder}/tool && ${folder}/tool`),
  sh('disk', (id) => `echo "took job ${id}" >&2; echo "write error: No space left on device" >&2; exit 1`),
  sh('http 502', (id) => `echo "GET https://api.example.org/v1/${id} -> http status 502" >&2; exit 22`),
  sh('http 404', (id) => `echo "GET https://api.example.org/v1/${id} -> http status 404" >&2; exit 22`),
  sh(
    'colours',
    (id) => `printf '\\033[1;31merror:\\033[0m lock ${id} is held by \\033[1mother\\033[0m\\n' >&2; exit 3`,
  ),
  sh(
    'progress',
    (id) => `printf '10 %%\\r55 %%\\r' >&2; printf 'error: upload of /tmp/${id}/a.bin was refused\\n' >&2; exit 4`,
  ),
  sh('stdout alone', (id) => `echo "ok 1"; echo "error: 2 checks of ${id} have failed"; exit 1`),
  sh('nothing said', () => 'exit 9'),
  sh('nothing said, another code', () => 'exit 10'),
  sh('ends itself', () => 'kill -SEGV $$'),
  sh('unset variable', () => 'set -u; echo "$NOT_THERE_AT_ALL"'),
  sh('syntax', () => 'if true; then'),
  sh('grep pattern', () => "grep '[' /dev/null"),
  sh('tar', (_, folder) => `printf junk >${folder}/a.tar; tar -xf ${folder}/a.tar -C ${folder}`),
  sh('sort', (_, folder) => `sort --key=x ${folder}`),
  sh('permission told', (id) => `echo "/var/lib/app/${id}: Permission denied" >&2; exit 1`),
  sh('quota told', (id) => `echo "quota of tenant ${id} is used up (503 of 500 GiB)" >&2; exit 1`),
];

const nodeFailures: readonly RealFailure[] = [
  node(
    'undefined',
    (id) => `function toRow(order) { return order.customer.id }\nconsole.error('order ${id}'); toRow({})`,
  ),
  node(
    'undefined elsewhere',
    (id) => `function toMail(order) { return order.customer.id }\nconsole.error('${id}'); toMail({})`,
  ),
  node('no file', (_, folder) => `const load = () => require('fs').readFileSync('${folder}/config.json'); load()`),
  node('json', (id) => `const parse = (text) => JSON.parse(text); parse('{"id": ${id.length}, oops}')`),
  node('refused', () => `require('net').connect(1, '127.0.0.1')`),
  node(
    'cause',
    (id) =>
      `const run = () => { throw new Error('job ${id} failed', { cause: new RangeError('too many rows') }) }; run()`,
  ),
  node(
    'rejection',
    (id) => `const send = async () => { await null; throw new Error('mail ${id}@example.org was refused') }; send()`,
  ),
  node('not an error', () => `throw 'no more work'`),
  node('syntax', () => 'const = 7'),
  node('assert', (id) => `const check = (n) => require('assert').strictEqual(n, 7); check(${id.length})`),
];

const pythonFailures: readonly RealFailure[] = [
  python('key', (id) => `def load(row):\n    return row["customer"]\nprint("${id}")\nload({})`),
  python('value', (id) => `def parse(text):\n    return int(text)\nparse("${id}")`),
  python('no file', (_, folder) => `def read(path):\n    return open(path).read()\nread("${folder}/data.csv")`),
  python(
    'chained',
    (id) =>
      `def job():\n    try:\n        1/0\n    except ZeroDivisionError as e:\n        raise RuntimeError("job ${id}") from e\njob()`,
  ),
  python('exit text', (id) => `import sys\nsys.exit("error: tenant ${id} is unknown")`),
  python('no module', () => 'import no_such_module_anywhere'),
  python('deep', () => 'def f(n):\n    return f(n + 1)\nf(0)'),
  python('utf-8', () => 'b"\\xff".decode("utf-8")'),
  python('assert', (id) => `def check(n):\n    assert n == 7, "expected 7"\ncheck(${id.length})`),
  python('syntax', () => 'def f(:\n  pass'),
];

/** Those that this machine can run: all forty where it has Python. */
export function realFailures(): readonly RealFailure[] {
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  return [...shFailures, ...nodeFailures, ...(hasPython ? pythonFailures : [])];
}
