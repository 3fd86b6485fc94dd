import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStack, type StackError } from './stack-reading.ts';

/** Errors as a test writes them: the type, its first line, and calls as `call file`, those of libraries with a star before. */
const told = (errors: readonly StackError[]) =>
  errors.map(({ type, message, frames }) => [
    type,
    message.split('\n')[0],
    frames.map(({ call, file, isForeign }) => `${isForeign ? '*' : ''}${call}${file === '' ? '' : ` ${file}`}`),
  ]);

test('D1 Node: async frames, constructors, aliases, file URLs, causes, and whatever was printed before and after', () => {
  const text = `2026-02-01T10:00:00.000Z INFO took job 17
/srv/app/dist/rows.js:12
    throw new TypeError(text);
    ^

TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string. Received undefined
    at toRow (/srv/app/dist/rows.js:12:11)
    at new Sheet (file:///srv/app/dist/sheet.mjs:40:3)
    at Mailer.send [as deliver] (C:\\app\\dist\\mailer.js:7:21)
    at async Promise.all (index 3)
    at async handle (/srv/app/dist/handler.js:88:9)
    at /srv/app/dist/main.js:3:1
    at async Pool.run (/srv/app/node_modules/pool/index.js:10:5)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {
  code: 'ERR_INVALID_ARG_TYPE',
  [cause]: Error: connect ECONNREFUSED 10.0.0.7:5432
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)
}

Node.js v22.4.0`;
  expect(told(readStack(text))).toEqual([
    [
      'TypeError',
      'The "path" argument must be of type string. Received undefined',
      [
        ...['toRow rows.js', 'Sheet sheet.mjs', 'Mailer.send mailer.js', 'handle handler.js', '? main.js'],
        ...['*Pool.run index.js', '*process.processTicksAndRejections task_queues'],
      ],
    ],
    ['Error', 'connect ECONNREFUSED 10.0.0.7:5432', ['*TCPConnectWrap.afterConnect node:net']],
  ]);
});

test('D1 Python: the error after its frames, marks below lines, chained causes, groups', () => {
  const text = `INFO begin
Traceback (most recent call last):
  File "/app/.venv/lib/python3.12/site-packages/urllib3/connection.py", line 203, in _new_conn
    sock = connection.create_connection(
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
OSError: [Errno 101] Network is unreachable

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/main.py", line 9, in <module>
    asyncio.run(main())
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "/app/jobs.py", line 41, in handle
    load(job)
  File "/app/orders.py", line 7, in load
    return row["customer"]
           ~~~^^^^^^^^^^^^
KeyError: 'customer'`;
  const errors = told(readStack(text));
  expect(errors.at(-1)).toEqual([
    ...['KeyError', "'customer'"],
    ['load orders.py', 'handle jobs.py', '*_run_module_as_main <frozen runpy>', '<module> main.py'],
  ]);
  const group = `  + Exception Group Traceback (most recent call last):
  |   File "/app/main.py", line 3, in <module>
  |     asyncio.run(main())
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: no`;
  expect(told(readStack(group))[0]).toEqual([
    'ExceptionGroup',
    expect.stringContaining('unhandled errors'),
    ['<module> main.py'],
  ]);
});

test('D1 Java: causes in their order, suppressed ones, lambdas without their hash, and lines left out', () => {
  const text = `Exception in thread "pool-1-thread-3" com.acme.store.StoreException: cannot save order 17
\tat com.acme.store.OrderStore.save(OrderStore.java:81)
\tat com.acme.Main$$Lambda/0x00007f3a1c0c2a00.run(Unknown Source)
\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1144)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: org.postgresql.util.PSQLException: ERROR: deadlock detected
  Detail: Process 71 waits for ShareLock on transaction 9; blocked by process 72.
\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2713)
\tat com.acme.store.Sql.update(Sql.java:33) ~[app.jar:1.2]
\t... 12 more`;
  expect(told(readStack(text))).toEqual([
    [
      ...['com.acme.store.StoreException', 'cannot save order 17'],
      [
        ...['com.acme.store.OrderStore.save OrderStore.java', 'com.acme.Main$Lambda.run Unknown Source'],
        '*java.util.concurrent.ThreadPoolExecutor.runWorker ThreadPoolExecutor.java',
        '*java.lang.Thread.run Thread.java',
      ],
    ],
    [
      ...['org.postgresql.util.PSQLException', 'ERROR: deadlock detected'],
      [
        '*org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse QueryExecutorImpl.java',
        'com.acme.store.Sql.update Sql.java',
      ].map((one) => (one.includes('postgresql') ? one.slice(1) : one)),
    ],
  ]);
});

test('D1 Go: the goroutine that ran, its files without folders, and nothing of the others', () => {
  const text = `panic: runtime error: index out of range [5] with length 3

goroutine 18 [running]:
panic({0x4a8f20?, 0xc0000b4018?})
\t/usr/local/go/src/runtime/panic.go:770 +0x132
main.parseRow({0xc000012345, 0x10}, 0x2)
\t/build/app/rows.go:41 +0x1d
main.(*Worker).run(0xc000099000)
\t/build/app/worker.go:77 +0x8c
main.start.func1()
\t/build/app/main.go:12 +0x25
created by main.start in goroutine 1
\t/build/app/main.go:10 +0x6b

goroutine 7 [select]:
main.watch(0xc00001)
\t/build/app/other.go:9 +0x5f
exit status 2`;
  expect(told(readStack(text))).toEqual([
    [
      ...['panic', 'runtime error: index out of range [5] with length 3'],
      ['main.parseRow rows.go', 'main.(*Worker).run worker.go', 'main.start main.go'],
    ],
  ]);
});

test('D1 Rust: the panic and its backtrace, without hashes', () => {
  const text = `thread 'tokio-runtime-worker' (881) panicked at src/rows.rs:12:9:
index out of bounds: the len is 3 but the index is 5
stack backtrace:
   0: rust_begin_unwind
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/std/src/panicking.rs:665:5
   1: core::panicking::panic_fmt::h0123456789abcdef
             at /rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/core/src/panicking.rs:76:14
   2: app::rows::parse::h89abcdef01234567
             at ./src/rows.rs:12:9
   3: app::worker::Worker::run
             at /home/runner/app/src/worker.rs:40:13
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`;
  expect(told(readStack(text))).toEqual([
    [
      ...['panic', 'index out of bounds: the len is 3 but the index is 5'],
      [
        ...['*rust_begin_unwind panicking.rs', '*core::panicking::panic_fmt panicking.rs'],
        ...['app::rows::parse rows.rs', 'app::worker::Worker::run worker.rs'],
      ],
    ],
  ]);
});

test('D1 .NET: inner exceptions, async state machines, and ends of stacks', () => {
  const text = `Unhandled exception. System.InvalidOperationException: job 17 failed
 ---> System.IO.IOException: The process cannot access the file '/tmp/a' because it is being used by another process.
   at Acme.Files.Locker.Open(String path, FileMode mode) in /src/Locker.cs:line 12
   --- End of inner exception stack trace ---
   at Acme.Worker.<RunAsync>d__4.MoveNext() in /src/Worker.cs:line 33
--- End of stack trace from previous location ---
   at System.Threading.Tasks.Task.Execute()`;
  const errors = told(readStack(text));
  expect(errors[0]?.slice(0, 2)).toEqual(['System.InvalidOperationException', 'job 17 failed']);
  expect(errors[1]?.[0]).toBe('System.IO.IOException');
  const calls = errors.flatMap((one) => one[2] as string[]);
  expect(calls).toContain('Acme.Files.Locker.Open Locker.cs');
  expect(calls).toContain('*System.Threading.Tasks.Task.Execute');
  expect(calls.some((one) => /^Acme\.Worker\.RunAsync(?:\.MoveNext)? Worker\.cs$/.test(one))).toBe(true);
});

test('D1 of a text without a stack the last words count, and of nothing nothing', () => {
  expect(readStack('')).toEqual([]);
  expect(readStack('\n \n')).toEqual([]);
  expect(told(readStack('INFO begin\nerror: no space left\n  while writing\n'))).toEqual([
    ['', 'error: no space left', []],
  ]);
  expect(told(readStack('one\ntwo'))).toEqual([['', 'two', []]]);
});

test('D1 whatever a program prints is read, in bounded time, and what stands before the last 32 KiB changes nothing', () => {
  const lines = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      ...[
        '    at f (/a/b.js:1:2)',
        'Traceback (most recent call last):',
        '  File "/a.py", line 1, in f',
        'ValueError: no',
      ],
      ...[
        '\tat a.B.c(B.java:1)',
        'Caused by: a.B: no',
        '\t... 3 more',
        'goroutine 1 [running]:',
        'main.f(0x1)',
        '\t/a/b.go:1 +0x1',
      ],
      ...[
        'panic: no',
        '   1: a::b::h0123456789abcdef',
        '             at ./a.rs:1:2',
        '   at A.B.C() in /a.cs:line 3',
        ' ---> A.BException: no',
      ],
    ),
  );
  fc.assert(
    fc.property(fc.array(lines, { maxLength: 40 }), (all) => {
      const text = all.join('\n');
      for (const { type, message, frames } of readStack(text)) {
        expect([typeof type, typeof message]).toEqual(['string', 'string']);
        for (const { call, file } of frames) expect([call === '', typeof file]).toEqual([false, 'string']);
      }
    }),
  );
  const stack = `TypeError: no\n    at f (/a/b.js:1:2)`;
  expect(readStack(`${'x\n'.repeat(20_000)}${stack}`)).toEqual(readStack(stack));
  const nasty = [
    ' at '.repeat(70_000),
    '((((('.repeat(60_000),
    'a.'.repeat(130_000),
    '\t'.repeat(260_000),
    '   1: '.repeat(40_000),
  ];
  const startMs = performance.now();
  for (const one of nasty) readStack(one);
  // A reading that is not linear takes minutes.
  expect(performance.now() - startMs).toBeLessThan(3_000);
});

const hostilePieces = [
  ...[
    '1',
    'a.',
    'a/',
    '.',
    '(',
    ')',
    ' ',
    ':',
    ':1',
    '[',
    '<',
    '$',
    '\\',
    'Error',
    'Exception.',
    '0x1',
    '::',
    '"',
    "'",
    ', ',
  ],
  ...[
    'a(',
    'a)(',
    '(...',
    'a b ',
    '-',
    '@',
    '1ms',
    '#1',
    '.func1',
    '$$Lambda',
    '`1',
    '+',
    ':line 1',
    ' [recovered]',
    "', ",
  ],
];
const hostileHeads = [
  ...[
    '',
    '    at ',
    '   at a.',
    '\tat a/',
    '\t',
    '   1: ',
    '   ---> ',
    "thread 'a' panicked at '",
    'panic: ',
    '[signal ',
  ],
  ...['Caused by: ', 'Uncaught ', '  File "', 'a.b(', '    at a (', '    at async ', 'Exception in thread "'],
];

test('D1 no line, however it is made, costs more than time in proportion to its length', () => {
  let worst = { ms: 0, what: '' };
  for (const head of hostileHeads) {
    for (const piece of hostilePieces) {
      for (const end of ['!', ')', ' [']) {
        const line = `${head}${piece.repeat(2048)}`.slice(0, 2040) + end;
        const beganMs = performance.now();
        readStack(`${line}\n`.repeat(4));
        const ms = performance.now() - beganMs;
        if (ms > worst.ms) worst = { ms, what: `${head}${piece}…${end}` };
      }
    }
  }
  // A line of digits once took seconds.
  expect(worst.ms, worst.what).toBeLessThan(150);
}, 60_000);
