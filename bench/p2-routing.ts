/** P2: many subscriptions, with wildcards; subjects that are new to the bus; 100 000 subscriptions. */
import EventEmitter2 from 'eventemitter2';
import type { Bus } from '../src/engine/bus/bus.ts';
import { createMemoryBus } from '../src/engine/bus/memory/memory-bus.ts';
import { payload, ports } from './engines.ts';
import type { Group, Side } from './rounds.ts';
import { rateOf } from './timed-work.ts';

const unit = 'publishes/s';
const sessionCount = 492;
const tokensOf = (session: string): string => `vak.events.ws.${session}.tokens`;
const sessionSubjects = Array.from({ length: sessionCount }, (_, at) => tokensOf(`s${at}`));
const hotSubject = tokensOf('hot');

/** 984 of single sessions, 16 of the hot one, 10 general ones, of which 2 match tokens: 4 deliveries, 18 of the hot session. */
const patterns: readonly string[] = [
  ...sessionSubjects.flatMap((subject, at) => [subject, `vak.events.ws.s${at}.*`]),
  ...Array.from({ length: 16 }, () => hotSubject),
  ...['vak.>', 'vak.events.ws.*.tokens', 'vak.events.ws.*.status', 'vak.events.ws.*.terminal'],
  ...['vak.work.>', 'vak.receipts.*.*.completed', 'vak.dlq.ws.>', 'vak.rooms.ws.*.log', 'vak.agent.ws.*.inbox'],
  'vak.control.ws.>',
];

/** A bus or an emitter that counts what it delivers. */
interface Router {
  publish(subject: string): void;
  delivered(): number;
}

function createBusRouter(wanted: readonly string[]): Router {
  const bus: Bus = createMemoryBus(ports);
  let delivered = 0;
  const onMessage = (): void => {
    delivered++;
  };
  for (const pattern of wanted) bus.subscribe(pattern, { kind: 'inline', onMessage });
  return { publish: (subject) => bus.publish(subject, payload), delivered: () => delivered };
}

function createEmitterRouter(wanted: readonly string[]): Router {
  const emitter = new EventEmitter2({ wildcard: true, delimiter: '.', maxListeners: 0 });
  let delivered = 0;
  for (const pattern of wanted) {
    emitter.on(pattern.replace(/>$/, '**'), () => {
      delivered++;
    });
  }
  return { publish: (subject) => void emitter.emit(subject, payload), delivered: () => delivered };
}

/** Publishes on the subjects in turn; each must be delivered so many times. */
function side(router: Router, subjects: readonly string[], deliveriesEach: number): Side {
  return {
    unit,
    async measure() {
      const before = router.delivered();
      let published = 0;
      const rate = rateOf(() => {
        for (const subject of subjects) router.publish(subject);
        published += subjects.length;
      }, subjects.length);
      const delivered = router.delivered() - before;
      if (delivered !== published * deliveriesEach) {
        throw new Error(`${delivered} deliveries of ${published} publishes, ${deliveriesEach} each were due`);
      }
      return rate;
    },
  };
}

const coldCount = 20_000;

/** Publishes once on each of many subjects that the router never saw; they are made before the clock runs. */
function coldSide(router: Router): Side {
  let serial = 0;
  return {
    unit,
    async measure() {
      const subjects = Array.from({ length: coldCount }, () => tokensOf(`cold${serial++}`));
      const before = router.delivered();
      const startedAt = performance.now();
      for (const subject of subjects) router.publish(subject);
      const rate = (coldCount * 1_000) / (performance.now() - startedAt);
      const delivered = router.delivered() - before;
      if (delivered !== coldCount * 2) throw new Error(`${delivered} deliveries of ${coldCount} cold publishes`);
      return rate;
    },
  };
}

/** One subscription a session, and two that match every session's tokens. */
const crowdOf = (sessions: number): string[] => [
  ...Array.from({ length: sessions }, (_, at) => tokensOf(`s${at}`)),
  ...['vak.>', 'vak.events.ws.*.tokens'],
];

export async function openRoutingGroup(): Promise<Group> {
  const bus = createBusRouter(patterns);
  const emitter = createEmitterRouter(patterns);
  const small = createBusRouter(crowdOf(1_000));
  const large = createBusRouter(crowdOf(100_000));
  const hot = Array.from({ length: 100 }, () => hotSubject);
  return {
    plan: 'P2',
    sides: {
      'bus, 4': side(bus, sessionSubjects, 4),
      'eventemitter2, 4': side(emitter, sessionSubjects, 4),
      'bus, 18': side(bus, hot, 18),
      'eventemitter2, 18': side(emitter, hot, 18),
      'bus, cold': coldSide(bus),
      'eventemitter2, cold': coldSide(emitter),
      '1 000': side(small, sessionSubjects, 3),
      '100 000': side(large, sessionSubjects, 3),
      '1 000, cold': coldSide(small),
      '100 000, cold': coldSide(large),
    },
    comparisons: [
      {
        ...{ title: '1 010 subscriptions, 4 deliveries : eventemitter2', ours: 'bus, 4', peer: 'eventemitter2, 4' },
        target: { atLeast: 6 },
      },
      {
        ...{ title: '1 010 subscriptions, 18 deliveries : eventemitter2', ours: 'bus, 18', peer: 'eventemitter2, 18' },
        target: { atLeast: 4 },
      },
      {
        ...{ title: '1 010 subscriptions, cold subjects : eventemitter2', ours: 'bus, cold' },
        ...{ peer: 'eventemitter2, cold', target: { atLeast: 1.2 } },
      },
      // Half the rate is twice the cost.
      {
        ...{ title: '100 000 subscriptions : 1 000 of them', ours: '100 000', peer: '1 000' },
        target: { atLeast: 0.5 },
      },
      {
        ...{ title: '100 000 subscriptions, cold subjects : 1 000 of them', ours: '100 000, cold' },
        ...{ peer: '1 000, cold', target: { atLeast: 0.5 } },
      },
    ],
    close: async () => {},
  };
}
