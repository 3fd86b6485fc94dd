/**
 * Everything that the renderer may ask of the engine, one feature a line.
 * Law: what is not declared here cannot be reached from a window.
 */
import { accessContract } from './access-contract.ts';
import { appStatusContract } from './app-status-contract.ts';
import { approvalsContract } from './approvals-contract.ts';
import { bundlesContract } from './bundles-contract.ts';
import { connectionsContract } from './connections-contract.ts';
import { developerContract } from './developer-contract.ts';
import { dlqContract } from './dlq-contract.ts';
import { identityContract } from './identity-contract.ts';
import { linksContract } from './links-contract.ts';
import { operationsContract } from './operations-contract.ts';
import { provisioningContract } from './provisioning-contract.ts';
import { queuesContract } from './queues-contract.ts';
import { roomsContract } from './rooms-contract.ts';
import { sessionsContract } from './sessions-contract.ts';
import { settingsContract } from './settings-contract.ts';
import { streamsContract } from './streams-contract.ts';
import { swarmContract } from './swarm-contract.ts';
import { traceContract } from './trace-contract.ts';

export const appContract = {
  access: accessContract,
  app: appStatusContract,
  approvals: approvalsContract,
  bundles: bundlesContract,
  connections: connectionsContract,
  developer: developerContract,
  dlq: dlqContract,
  identity: identityContract,
  links: linksContract,
  operations: operationsContract,
  provisioning: provisioningContract,
  queues: queuesContract,
  rooms: roomsContract,
  sessions: sessionsContract,
  settings: settingsContract,
  streams: streamsContract,
  swarm: swarmContract,
  trace: traceContract,
} as const;

/** The type that both ends derive from. */
export type AppContract = typeof appContract;
