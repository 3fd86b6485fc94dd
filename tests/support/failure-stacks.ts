/**
 * Stacks as runtimes of six languages print them, with what differs between builds and occurrences.
 * For the tests of grouping.
 */
import type { Chance } from './failure-chance.ts';

export const folder = (chance: Chance): string =>
  chance.pick(['/srv/app', '/home/runner/work/app', `/opt/releases/${chance.hex(7)}`, '/app']);
export const line = (chance: Chance): string => `${1 + chance.below(900)}:${1 + chance.below(80)}`;

/** A stack as V8 prints it: calls `name file`, innermost first. */
export function node(chance: Chance, head: string, calls: readonly string[]): string {
  const root = folder(chance);
  const own = calls.map((call) => {
    const [name, file] = call.split(' ') as [string, string];
    const place = `${chance.pick(['', 'file://'])}${root}/dist/${file}:${line(chance)}`;
    return name === '-' ? `    at ${place}` : `    at ${name.replace('async:', 'async ')} (${place})`;
  });
  const runtime = [
    `    at process.processTicksAndRejections (node:internal/process/task_queues:${chance.below(200)}:5)`,
    ...(chance.below(2) === 0 ? [`    at async Pool.run (${root}/node_modules/pool/index.js:${line(chance)})`] : []),
  ];
  return [head, ...own, ...runtime].join('\n');
}

/** As CPython prints it: calls `name file`, outermost first. */
export function python(chance: Chance, head: string, calls: readonly string[]): string {
  const root = folder(chance);
  const frames = calls.map((call) => {
    const [name, file] = call.split(' ');
    const marks = chance.below(2) === 0 ? `\n    ${'^'.repeat(6)}` : '';
    return `  File "${root}/${file}", line ${1 + chance.below(500)}, in ${name}\n    ${name}(job)${marks}`;
  });
  return ['Traceback (most recent call last):', ...frames, head].join('\n');
}

/** As the JVM prints it: calls `class.method File.java`, innermost first. */
export function java(chance: Chance, head: string, calls: readonly string[]): string {
  const frames = calls.map((call) => {
    const [name, file] = call.split(' ');
    return `\tat ${name}(${file}:${1 + chance.below(800)})`;
  });
  const runtime = [
    `\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:${chance.below(1200)})`,
    `\tat com.acme.Main$$Lambda/0x${chance.hex(16)}.run(Unknown Source)`,
    '\tat java.base/java.lang.Thread.run(Thread.java:840)',
  ];
  return [head, ...frames, ...runtime].join('\n');
}

/** As the Go runtime prints it: calls `package.Func file.go`, innermost first. */
export function go(chance: Chance, head: string, calls: readonly string[]): string {
  const root = folder(chance);
  const frames = calls.map((call) => {
    const [name, file] = call.split(' ');
    return `${name}({0xc000${chance.hex(6)}, 0x${chance.hex(2)}}, 0x${chance.hex(1)})\n\t${root}/${file}:${1 + chance.below(400)} +0x${chance.hex(3)}`;
  });
  const other = `\ngoroutine ${chance.below(90)} [select]:\nmain.${chance.pick(['watch', 'beat'])}(0xc000${chance.hex(6)})\n\t${root}/other.go:${chance.below(99)} +0x5f`;
  return [
    head,
    '',
    `goroutine ${1 + chance.below(500)} [running]:`,
    ...(head.includes('runtime error')
      ? [`panic({0x${chance.hex(6)}?, 0xc000${chance.hex(6)}?})`, `\t/usr/local/go/src/runtime/panic.go:770 +0x132`]
      : []),
    ...frames,
    `created by main.start in goroutine 1\n\t${root}/main.go:${chance.below(99)} +0x${chance.hex(2)}`,
    ...(chance.below(2) === 0 ? [other] : []),
    'exit status 2',
  ].join('\n');
}

/** As Rust prints it with a backtrace: calls `path::call file.rs`, innermost first. */
export function rust(chance: Chance, place: string, message: string, calls: readonly string[]): string {
  const thread = chance.pick(['main', 'tokio-runtime-worker', `worker-${chance.below(9)}`]);
  const all = [
    'rust_begin_unwind /rustc/hash/library/std/src/panicking.rs',
    'core::panicking::panic_fmt /rustc/hash/library/core/src/panicking.rs',
    ...calls,
  ];
  const frames = all.flatMap((call, at) => {
    const [name, file] = call.split(' ') as [string, string];
    const from = file.startsWith('/') ? file.replace('hash', chance.hex(40)) : `${folder(chance)}/${file}`;
    const hash = name.includes('::') ? `::h${chance.hex(16)}` : '';
    return [`${String(at).padStart(4)}: ${name}${hash}`, `             at ${from}:${line(chance)}`];
  });
  return [
    `thread '${thread}'${chance.pick(['', ` (${chance.below(9999)})`])} panicked at ${place}:${line(chance)}:`,
    message,
    'stack backtrace:',
    ...frames,
    'note: Some details are omitted',
  ].join('\n');
}

/** As .NET prints it: calls `Namespace.Class.Method(args) File.cs`, innermost first. */
export function dotnet(chance: Chance, head: string, calls: readonly string[]): string {
  const root = folder(chance);
  const frames = calls.map((call) => {
    const [name, file] = call.split(' ');
    return `   at ${name?.replaceAll(',', ', ')} in ${root}/${file}:line ${1 + chance.below(400)}`;
  });
  return [
    head,
    ...frames,
    '--- End of stack trace from previous location ---',
    '   at System.Threading.Tasks.Task.Execute()',
  ].join('\n');
}
