import { expect, test } from 'vitest';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createDeferred } from '../wait.ts';
import { serveControl } from './control-service.ts';

const subject = 'vak.control.acme.rooms.append';

function prepare() {
  const log: string[] = [];
  const logger = createLineLogger(log);
  const bus = createMemoryBus({ clock: createFakeClock(), logger });
  const ask = async (): Promise<Record<string, unknown>> =>
    JSON.parse(toText(await bus.request(subject, utf8('x'), { timeoutMs: 1_000 })));
  return { bus, log, logger, ask };
}
const place = { workspace: 'acme', service: 'rooms', name: 'membership' };

test('R37 more than may be under way is refused at once, and told to be asked again; the others are answered', async () => {
  const { bus, logger, ask } = prepare();
  const gate = createDeferred<void>();
  const control = serveControl(
    { ...place, bus, logger, maxUnderWay: 2 },
    { append: () => gate.promise.then(() => ({ seq: 1 })) },
  );
  const [first, second, third] = [ask(), ask(), ask()];
  expect(await third).toMatchObject({ code: 'limit-exceeded', retryable: true });
  let isIdle = false;
  const idle = control.idle().then(() => {
    isIdle = true;
  });
  expect(isIdle).toBe(false);
  gate.resolve();
  expect([await first, await second]).toEqual(Array(2).fill({ ok: true, seq: 1 }));
  await idle;
  control.dispose();
});

test('S5 a bug is answered as internal with its id, and nothing of it is shown', async () => {
  const { bus, log, logger, ask } = prepare();
  serveControl(
    { ...place, bus, logger },
    {
      append() {
        throw new TypeError('a secret detail');
      },
    },
  );
  const { code, message } = await ask();
  expect([code, message]).toEqual(['internal', expect.not.stringContaining('secret')]);
  expect(log.some((line) => line.includes('"bug"'))).toBe(true);
});
