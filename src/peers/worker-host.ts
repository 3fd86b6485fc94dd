/** What the worker program takes from the machine; built once, in worker.ts. */
import type { SelfTestResult } from '../engine/crypto/self-test.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Randomness } from '../engine/ports/randomness.ts';
import type { ProcessTable } from '../engine/work/process-rows.ts';

export interface WorkerHost {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly table: ProcessTable;
  readonly environment: NodeJS.ProcessEnv;
  readonly cwd: string;
  selfTest(): SelfTestResult;
  exit(code: number): void;
}
