/**
 * Where a queue worker of the swarm works: one lane of its channel for each engine, for as long as that is the one in use (B8, A4).
 * Law: on a lane there is one engine and no other, so that nothing that was put for one can be sent to another; a worker that does not
 * let go in time is cut off.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Permit } from '../access/permit.ts';
import { createPermittedFabric } from '../access/permitted-fabric.ts';
import { serveChannelFabric } from '../bus/channel/channel-fabric-host.ts';
import type { ChannelPort } from '../bus/channel/channel-port.ts';
import { createLanePort } from '../bus/channel/lane-port.ts';
import type { PeerFabric } from '../bus/fabric.ts';
import { createPlaceFollower } from '../place-follower.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { createDeferred, type Deferred, settlesWithin } from '../wait.ts';
import type { MainFrame } from './worker-frames.ts';

/** An engine that may be worked on, and by which name things are kept for it alone. */
export interface WorkPlace {
  readonly fabric: PeerFabric;
  readonly destination: string;
}

/** Where what a worker reads and keeps lies in the profile. */
export interface WorkFiles {
  /** Folder of all outboxes. */
  readonly outbox: string;
  /** Cards and grants of the workspace, and the serials that were seen. */
  readonly directory: string;
  readonly serials: string;
}

export interface WorkLanesDeps {
  readonly port: ChannelPort;
  /** Where the work is now; the same object as long as it is the same engine. */
  readonly place: () => WorkPlace | undefined;
  readonly files: WorkFiles;
  readonly permit: Permit;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface WorkLanes {
  /** Sends the worker to where the work is now; resolves when it has left where it was, and was told. */
  follow(): Promise<void>;
  /** The worker says that it has left a lane. */
  onLeft(lane: number): void;
  /** It is gone, or goes: nothing is served any more. */
  close(): Promise<void>;
}

/** So long a worker has to give back what it claimed, ms. */
const leaveLimitMs = 3_000;

interface OpenLane {
  readonly lane: number;
  readonly port: ChannelPort;
  readonly served: Disposable;
  readonly left: Deferred<void>;
}

/** Creates the lanes of one worker's channel; nothing is served before {@link WorkLanes.follow}. */
export function createWorkLanes(deps: WorkLanesDeps): WorkLanes {
  const { port, place, files, permit, clock, logger } = deps;
  const post = (frame: MainFrame): void => port.post(frame);
  let lastLane = 0;
  let isGone = false;
  let current: OpenLane | undefined;

  async function open({ fabric, destination }: WorkPlace): Promise<OpenLane> {
    const lane = ++lastLane;
    const lanePort = createLanePort(port, lane);
    const permitted = createPermittedFabric(fabric, permit);
    const served = serveChannelFabric({ port: lanePort, fabric: permitted, clock, logger });
    current = { lane, port: lanePort, served, left: createDeferred<void>() };
    post({ kind: 'work', lane, destination, ...files });
    return current;
  }

  async function shut({ lane, port: lanePort, served, left }: OpenLane): Promise<void> {
    if (!isGone) {
      post({ kind: 'leave', lane });
      if (!(await settlesWithin(clock, leaveLimitMs, left.promise))) logger.warn('swarm.left-in-haste', { lane });
    }
    served.dispose();
    lanePort.close();
  }

  const follower = createPlaceFollower<WorkPlace, OpenLane>({
    ...{ wanted: place, open, shut, onChange: () => {}, clock, logger, event: 'swarm.lane' },
  });

  return {
    follow: follower.follow,
    onLeft(lane) {
      if (current?.lane === lane) current.left.resolve();
    },
    async close() {
      isGone = true;
      current?.left.resolve();
      await follower.close();
    },
  };
}
