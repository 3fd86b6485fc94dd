/**
 * The laws of the durable plane that every engine keeps (protocol.md B3–B6, W3), as suites that each implementation runs.
 * Law: nothing here knows which engine it runs against.
 */
import type { DefineLaw } from './bus-laws.ts';
import { defineConsumerLaws } from './laws/consumer-laws.ts';
import { defineDeliveryLaws } from './laws/delivery-laws.ts';
import type { DurableUnderTest, LawContext, RestartableDurable } from './laws/durable-law.ts';
import { defineKeyValueLaws } from './laws/key-value-laws.ts';
import { defineObjectLaws } from './laws/object-laws.ts';
import { defineRestartLaws } from './laws/restart-laws.ts';
import { defineRetentionLaws } from './laws/retention-laws.ts';
import { defineStreamLaws } from './laws/stream-laws.ts';

/** Gives each law a plane of its own, open while it runs, and a workspace that no other law has. */
function withPlane<Tested extends DurableUnderTest>(law: DefineLaw, prefix: string, open: () => Promise<Tested>) {
  let count = 0;
  return (name: string, run: (context: LawContext<Tested>) => Promise<void>): void => {
    const workspace = `${prefix}${++count}`;
    law(name, async () => {
      const tested = await open();
      try {
        await run({ durable: tested.durable, tested, workspace });
      } finally {
        await tested.close();
      }
    });
  };
}

/** Defines the laws of the durable plane. Laws can share a server and run at the same time; `close` may come twice. */
export function defineDurableLaws(law: DefineLaw, open: () => Promise<DurableUnderTest>): void {
  const define = withPlane(law, 'law', open);
  defineStreamLaws(define);
  defineRetentionLaws(define);
  defineConsumerLaws(define);
  defineDeliveryLaws(define);
  defineKeyValueLaws(define);
  defineObjectLaws(define);
}

/** Defines the laws of what outlives an engine; each needs a store of its own. */
export function defineDurableRestartLaws(law: DefineLaw, open: () => Promise<RestartableDurable>): void {
  defineRestartLaws(withPlane(law, 'restart', open));
}
