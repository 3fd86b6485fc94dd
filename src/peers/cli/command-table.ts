/** Every command of `vak`, in the order of the help. A new one is added here and nowhere else. */
import { aclCommands } from './acl-commands.ts';
import { aclExportCommand } from './acl-export-command.ts';
import { approvalsCommands } from './approvals-commands.ts';
import { bundleCommands } from './bundle-commands.ts';
import { chainCommands } from './chain-commands.ts';
import { chatCommand } from './chat-command.ts';
import type { Command } from './command.ts';
import { configBusCommands } from './config-bus-commands.ts';
import { configCommands } from './config-commands.ts';
import { contextCommands } from './context-commands.ts';
import { dlqArchiveCommands } from './dlq-archive-commands.ts';
import { dlqCancelCommands } from './dlq-cancel-commands.ts';
import { dlqCommands } from './dlq-commands.ts';
import { dlqExportCommand } from './dlq-export-command.ts';
import { dlqRetryCommands } from './dlq-retry-commands.ts';
import { doctorCommand } from './doctor-command.ts';
import { envelopeCommands } from './envelope-commands.ts';
import { grantCommands } from './grant-commands.ts';
import { grantMoveCommands } from './grant-move-commands.ts';
import { idCommands } from './id-commands.ts';
import { membershipdCommand } from './membershipd-command.ts';
import { metricsCommand } from './metrics-command.ts';
import { outboxCommands } from './outbox-commands.ts';
import { provisionCommand } from './provision-command.ts';
import { publishCommand } from './publish-command.ts';
import { queuePauseCommands } from './queue-pause-commands.ts';
import { queuesCommand } from './queues-command.ts';
import { roomCommands } from './room-commands.ts';
import { roomFileCommands } from './room-file-commands.ts';
import { roomMemberCommands } from './room-member-commands.ts';
import { roomCloseCommand, roomTopicCommand } from './room-naming-commands.ts';
import { roomTalkCommands } from './room-talk-commands.ts';
import { safetyCommand } from './safety-command.ts';
import { secretCommands } from './secret-commands.ts';
import { selfTestCommand } from './self-test-command.ts';
import { streamCommands } from './stream-commands.ts';
import { streamExportCommand } from './stream-export-command.ts';
import { subjectCommands } from './subject-commands.ts';
import { subscribeCommand } from './subscribe-command.ts';
import { supervisorCommand } from './supervisor-command.ts';
import { taskSubmitCommand } from './task-submit-command.ts';
import { taskWaitCommand } from './task-wait-command.ts';
import { workerCommand } from './worker-command.ts';

export const commandTable: readonly Command[] = [
  ...idCommands,
  ...grantCommands,
  ...grantMoveCommands,
  safetyCommand,
  ...configCommands,
  ...configBusCommands,
  ...secretCommands,
  ...subjectCommands,
  ...aclCommands,
  aclExportCommand,
  ...envelopeCommands,
  ...chainCommands,
  provisionCommand,
  publishCommand,
  subscribeCommand,
  ...outboxCommands,
  ...streamCommands,
  streamExportCommand,
  workerCommand,
  supervisorCommand,
  membershipdCommand,
  ...roomCommands,
  ...roomTalkCommands,
  ...roomFileCommands,
  ...roomMemberCommands,
  roomTopicCommand,
  roomCloseCommand,
  chatCommand,
  taskSubmitCommand,
  taskWaitCommand,
  queuesCommand,
  ...queuePauseCommands,
  metricsCommand,
  ...approvalsCommands,
  ...dlqCommands,
  ...dlqArchiveCommands,
  ...dlqRetryCommands,
  ...dlqCancelCommands,
  dlqExportCommand,
  ...bundleCommands,
  ...contextCommands,
  doctorCommand,
  selfTestCommand,
];
