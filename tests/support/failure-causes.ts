/**
 * Failures as programs in six languages print them: forty causes, each with what differs from one occurrence to the next.
 * For the tests of grouping; what a seed gives is always the same.
 */
import type { Failure } from '../../src/engine/triage/fingerprint.ts';
import type { Chance } from './failure-chance.ts';
import { dotnet, folder, go, java, line, node, python, rust } from './failure-stacks.ts';

export interface FailureCause {
  readonly name: string;
  occur(chance: Chance): Failure;
}

const exit = (code: number, stack: string): Failure => ({
  errorClass: 'exit-code',
  reason: `exit code ${code}`,
  stack,
});
const told = (errorClass: string, reason: string): Failure => ({ errorClass, reason });
const cause = (name: string, occur: FailureCause['occur']): FailureCause => ({ name, occur });

/** What a program printed before it failed. */
function noise(chance: Chance): string {
  return Array.from(
    { length: chance.below(4) },
    () => `${chance.time()} INFO took job ${chance.uuid()} in ${chance.below(900)}ms`,
  ).join('\n');
}

const nodeCauses: readonly FailureCause[] = [
  cause('node undefined id', (c) =>
    exit(
      1,
      `${noise(c)}\n${node(c, "TypeError: Cannot read properties of undefined (reading 'id')", ['toRow rows.js', 'async:handle handler.js'])}`,
    ),
  ),
  cause('node undefined id elsewhere', (c) =>
    exit(
      1,
      node(c, "TypeError: Cannot read properties of undefined (reading 'id')", [
        'Mailer.send mailer.js',
        'async:handle handler.js',
      ]),
    ),
  ),
  cause('node refused', (c) =>
    exit(
      1,
      `${node(c, `Error: job ${c.uuid()} failed after ${c.below(90)} s {`, ['async:runJob runner.js'])}\n  [cause]: Error: connect ECONNREFUSED ${c.address()}\n      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:${line(c)})`,
    ),
  ),
  cause('node no file', (c) =>
    exit(
      1,
      node(c, `Error: ENOENT: no such file or directory, open '${c.temp()}'`, [
        'async:readInput input.mjs',
        'async:handle handler.mjs',
      ]),
    ),
  ),
  cause('node json', (c) =>
    exit(
      1,
      `${folder(c)}/dist/parse.js:${c.below(90)}\n    const body = JSON.parse(text);\n                      ^\n\n${node(
        c,
        `SyntaxError: Unexpected token '${c.pick(['<', '}', 'x'])}', "${c.pick(['<html', '}a,', 'xyz'])}${c.hex(9)}"... is not valid JSON`,
        ['JSON.parse -', 'parseBody parse.js', '- main.js'].filter((one) => !one.endsWith('-')),
      )}\n\nNode.js v20.20.2`,
    ),
  ),
  cause('node timeout', (c) => ({
    errorClass: 'TimeoutError',
    reason: `no answer from ${c.address()} within ${c.below(60_000)} ms`,
    stack: node(c, `TimeoutError: no answer from ${c.address()} within ${c.below(60_000)} ms`, [
      'Timeout._onTimeout client.js',
    ]),
  })),
  cause('node validation', (c) => ({
    errorClass: 'ValidationError',
    reason: `order ${c.uuid()}: amount ${c.amount()} is over the limit of ${c.amount()}`,
    stack: node(
      c,
      `ValidationError: order ${c.uuid()}: amount ${c.amount()} is over the limit of ${c.amount()}\nfields:\n  amount: ${c.amount()}\n  customer: ${c.name()}`,
      ['checkOrder orders.js', 'async:handle handler.js'],
    ),
  })),
];

const pythonCauses: readonly FailureCause[] = [
  cause('python key', (c) =>
    exit(
      1,
      `${noise(c)}\n${python(c, "KeyError: 'customer'", ['<module> main.py', 'handle jobs.py', 'load orders.py'])}`,
    ),
  ),
  cause('python value', (c) =>
    exit(
      1,
      python(c, `ValueError: could not convert string to float: '${c.amount()}'`, [
        '<module> main.py',
        'handle jobs.py',
        'parse_amount money.py',
      ]),
    ),
  ),
  cause('python memory', (c) =>
    exit(
      1,
      python(
        c,
        `MemoryError: Unable to allocate ${c.below(90)}.${c.below(9)} GiB for an array with shape (${c.below(90_000)}, ${c.below(900)}) and data type float64`,
        ['<module> main.py', 'train model.py'],
      ),
    ),
  ),
  cause('python http', (c) =>
    exit(
      1,
      `${python(c, `urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='api.acme.test', port=443): Max retries exceeded with url: /v1/orders/${c.below(99_999)}`, ['fetch client.py'])}\n\nDuring handling of the above exception, another exception occurred:\n\n${python(c, `requests.exceptions.ConnectionError: <urllib3.connection.HTTPSConnection object at 0x7f${c.hex(10)}>: Failed to resolve`, ['<module> main.py', 'handle jobs.py', 'fetch_order client.py'])}`,
    ),
  ),
  cause('python assertion', (c) => exit(1, python(c, 'AssertionError', ['<module> main.py', 'reconcile ledger.py']))),
  cause('python group', (c) =>
    exit(
      1,
      `  + Exception Group Traceback (most recent call last):\n  |   File "${folder(c)}/main.py", line ${c.below(90)}, in <module>\n  |     asyncio.run(main())\n  | ExceptionGroup: unhandled errors in a TaskGroup (${1 + c.below(5)} sub-exceptions)`,
    ),
  ),
];

const javaCauses: readonly FailureCause[] = [
  cause('java null', (c) =>
    exit(
      1,
      java(
        c,
        `Exception in thread "pool-${c.below(9)}-thread-${c.below(90)}" java.lang.NullPointerException: Cannot invoke "com.acme.Order.total()" because "order" is null`,
        ['com.acme.billing.Invoice.add Invoice.java', 'com.acme.billing.Biller.bill Biller.java'],
      ),
    ),
  ),
  cause('java sql deadlock', (c) =>
    exit(
      1,
      `${java(c, `com.acme.store.StoreException: cannot save order ${c.uuid()}`, ['com.acme.store.OrderStore.save OrderStore.java', 'com.acme.Worker.handle Worker.java'])}\nCaused by: org.postgresql.util.PSQLException: ERROR: deadlock detected\n  Detail: Process ${c.below(9999)} waits for ShareLock on transaction ${c.below(99_999)}; blocked by process ${c.below(9999)}.\n\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:${c.below(3000)})\n\tat com.acme.store.Sql.update(Sql.java:${c.below(300)})\n\t... ${c.below(60)} more`,
    ),
  ),
  cause('java sql duplicate', (c) =>
    exit(
      1,
      `${java(c, `com.acme.store.StoreException: cannot save order ${c.uuid()}`, ['com.acme.store.OrderStore.save OrderStore.java', 'com.acme.Worker.handle Worker.java'])}\nCaused by: org.postgresql.util.PSQLException: ERROR: duplicate key value violates unique constraint "orders_pkey"\n  Detail: Key (id)=(${c.below(99_999)}) already exists.\n\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:${c.below(3000)})\n\tat com.acme.store.Sql.insert(Sql.java:${c.below(300)})\n\t... ${c.below(60)} more`,
    ),
  ),
  cause('java stack overflow', (c) =>
    exit(
      1,
      java(
        c,
        'java.lang.StackOverflowError',
        Array.from({ length: 20 + c.below(40) }, () => 'com.acme.tree.Node.depth Node.java'),
      ),
    ),
  ),
  cause('java memory', (c) =>
    exit(
      1,
      java(c, `java.lang.OutOfMemoryError: Java heap space`, [
        'com.acme.report.Sheet.grow Sheet.java',
        'com.acme.report.Report.render Report.java',
      ]),
    ),
  ),
  cause('java timeout', (c) =>
    exit(
      1,
      java(
        c,
        `java.util.concurrent.TimeoutException: Did not observe any item within ${c.below(90_000)}ms in 'flatMap-${c.below(90)}'`,
        ['com.acme.price.Prices.get Prices.java'],
      ),
    ),
  ),
];

const goCauses: readonly FailureCause[] = [
  cause('go index', (c) =>
    exit(
      2,
      go(c, `panic: runtime error: index out of range [${c.below(90)}] with length ${c.below(90)}`, [
        'main.parseRow rows.go',
        'main.(*Worker).run worker.go',
      ]),
    ),
  ),
  cause('go nil', (c) =>
    exit(
      2,
      go(
        c,
        `panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x${c.hex(2)} pc=0x${c.hex(6)}]`,
        ['main.(*Cache).get cache.go', 'main.(*Worker).run worker.go'],
      ),
    ),
  ),
  cause('go map', (c) =>
    exit(
      2,
      go(c, 'fatal error: concurrent map writes', ['main.(*Cache).put cache.go', 'main.(*Worker).run worker.go']),
    ),
  ),
  cause('go own panic', (c) =>
    exit(
      2,
      go(c, `panic: shard ${c.below(64)} of ${c.hex(12)} is not owned`, [
        'example.test/app/shard.(*Table).Owner shard/table.go',
        'main.main.func1 main.go',
      ]),
    ),
  ),
  cause('go log fatal', (c) => exit(1, `${c.time()} dial tcp ${c.address()}: i/o timeout`)),
  cause('go wrapped', (c) => told('job-failed', `load job ${c.hex(16)}: open ${c.temp()}: permission denied`)),
];

const rustCauses: readonly FailureCause[] = [
  cause('rust index', (c) =>
    exit(
      101,
      rust(c, 'src/rows.rs', `index out of bounds: the len is ${c.below(90)} but the index is ${c.below(90)}`, [
        'app::rows::parse src/rows.rs',
        'app::worker::Worker::run src/worker.rs',
      ]),
    ),
  ),
  cause('rust unwrap', (c) =>
    exit(
      101,
      rust(
        c,
        'src/config.rs',
        `called \`Result::unwrap()\` on an \`Err\` value: Os { code: 2, kind: NotFound, message: "No such file or directory" }`,
        [
          'core::result::unwrap_failed /rustc/hash/library/core/src/result.rs',
          'app::config::load src/config.rs',
          'app::main src/main.rs',
        ],
      ),
    ),
  ),
  cause('rust unwrap denied', (c) =>
    exit(
      101,
      rust(
        c,
        'src/config.rs',
        `called \`Result::unwrap()\` on an \`Err\` value: Os { code: 13, kind: PermissionDenied, message: "Permission denied" }`,
        [
          'core::result::unwrap_failed /rustc/hash/library/core/src/result.rs',
          'app::config::load src/config.rs',
          'app::main src/main.rs',
        ],
      ),
    ),
  ),
  cause('rust overflow', (c) =>
    exit(
      101,
      rust(c, 'src/money.rs', 'attempt to multiply with overflow', [
        'app::money::total src/money.rs',
        'app::worker::Worker::run src/worker.rs',
      ]),
    ),
  ),
  cause('rust anyhow', (c) =>
    exit(
      1,
      `Error: job ${c.uuid()} failed\n\nCaused by:\n    0: cannot read ${c.temp()}\n    1: checksum is ${c.hex(64)}, not ${c.hex(64)}`,
    ),
  ),
];

const dotnetCauses: readonly FailureCause[] = [
  cause('dotnet null', (c) =>
    exit(
      134,
      dotnet(
        c,
        'Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.',
        ['Acme.Billing.Invoice.Add(Order,Int32) Invoice.cs', 'Acme.Worker.RunAsync(Guid) Worker.cs'],
      ),
    ),
  ),
  cause('dotnet inner', (c) =>
    exit(
      134,
      `Unhandled exception. System.InvalidOperationException: job ${c.uuid()} failed\n ---> System.IO.IOException: The process cannot access the file '${c.temp()}' because it is being used by another process.\n   at Acme.Files.Locker.Open(String path) in ${folder(c)}/Locker.cs:line ${c.below(90)}\n   --- End of inner exception stack trace ---\n   at Acme.Worker.RunAsync(Guid id) in ${folder(c)}/Worker.cs:line ${c.below(90)}`,
    ),
  ),
  cause('dotnet argument', (c) =>
    exit(
      134,
      dotnet(
        c,
        `Unhandled exception. System.ArgumentOutOfRangeException: Specified argument was out of the range of valid values. (Parameter 'page')\nActual value was ${c.below(9999)}.`,
        ['Acme.Reports.Pager.Get(Int32) Pager.cs', 'Acme.Worker.RunAsync(Guid) Worker.cs'],
      ),
    ),
  ),
  cause('dotnet http', (c) =>
    exit(
      134,
      dotnet(
        c,
        `Unhandled exception. System.Net.Http.HttpRequestException: Response status code does not indicate success: 503 (Service Unavailable).`,
        ['Acme.Http.Client.Get(Uri) Client.cs', 'Acme.Worker.RunAsync(Guid) Worker.cs'],
      ),
    ),
  ),
  cause('dotnet http 404', (c) =>
    exit(
      134,
      dotnet(
        c,
        `Unhandled exception. System.Net.Http.HttpRequestException: Response status code does not indicate success: 404 (Not Found).`,
        ['Acme.Http.Client.Get(Uri) Client.cs', 'Acme.Worker.RunAsync(Guid) Worker.cs'],
      ),
    ),
  ),
];

const plainCauses: readonly FailureCause[] = [
  cause('no message', () => told('failed', '')),
  cause('exit code alone', () => told('exit-code', 'exit code 3')),
  cause('another exit code', () => told('exit-code', 'exit code 137')),
  cause('timed out', (c) => told('timeout', `timed out after ${1 + c.below(600)} s and was ended`)),
  cause('huge message', (c) =>
    told(
      'bad-input',
      `document ${c.uuid()} is not well formed: ${`<row id="${c.below(9999)}">${c.amount()}</row>`.repeat(7000)}`.slice(
        0,
        256 * 1024,
      ),
    ),
  ),
];

/** Forty of them. */
export const failureCauses: readonly FailureCause[] = [
  ...nodeCauses,
  ...pythonCauses,
  ...javaCauses,
  ...goCauses,
  ...rustCauses,
  ...dotnetCauses,
  ...plainCauses,
];
