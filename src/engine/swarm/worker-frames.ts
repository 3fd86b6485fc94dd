/**
 * What main and a worker process say to each other beside the bus, on the same channel.
 * Law: frames are strict: a known kind with a wrong, missing or extra field is malformed; an unknown kind is left to others.
 */
import { z } from 'zod';
import { cardRecord, grantRecord } from '../../shared/protocol/identity-records.ts';
import { isToken } from '../../shared/protocol/subject.ts';

/** As much of a queue's command goes to main, for people to see: words, and characters of each. */
const maxShownWords = 32;
const maxShownWord = 1024;

const token = z.string().refine(isToken, 'expected 1–64 of A–Z a–z 0–9 _ -');
const line = z.string().max(1024);
const pid = z.int().min(2).max(0x7fff_ffff);

const bytes = (most: number): z.ZodType<Uint8Array> =>
  z.instanceof(Uint8Array).refine((value) => value.length > 0 && value.length <= most, `expected 1–${most} bytes`);

const untilMs = z.int().nonnegative().nullable();

/** The workspace's secrets: those that open, and the ids of those that do not any more (E7). */
const secretFields = {
  secrets: z
    .array(
      z.strictObject({
        id: token,
        secret: bytes(1024),
        state: z.enum(['active', 'open-only']),
        openOnlyUntilMs: untilMs,
      }),
    )
    .max(64)
    .readonly(),
  ended: z
    .array(z.strictObject({ id: token, state: z.enum(['open-only', 'revoked']), openOnlyUntilMs: untilMs }))
    .max(4096)
    .readonly(),
};

/** The worker's own keys and standing (I3): they reach it here and nowhere else. */
const credentials = z.strictObject({
  signSeed: bytes(128),
  boxSecret: bytes(32),
  card: cardRecord,
  grant: grantRecord,
  rootPublic: z.string().max(64),
  ...secretFields,
});

/** A place in a chain (E12): a source of ours is shorter. */
const chainHead = z.strictObject({
  source: z.string().min(1).max(256),
  seq: z.int().nonnegative(),
  leaf: z.string().regex(/^[0-9a-f]{64}$/),
});

const path = z.string().min(1).max(4096);
const lane = z.int().positive();

/** What is taken of unsigned and plain messages (E8). */
const policy = z.strictObject({ acceptPlain: z.boolean(), acceptUnsigned: z.boolean() });

/**
 * First of all: who the worker is, who may command it, and where the chain of the peer's last session ended. `queue`: it takes its
 * tasks from there, as soon as it is told where to work; null: it is given commands.
 */
const configure = z.strictObject({
  kind: z.literal('configure'),
  workspace: token,
  peer: token,
  session: token.refine((text) => text.endsWith('-e'), 'expected a session of the ephemeral kind (E12)'),
  credentials,
  commanders: z.array(grantRecord).max(8).readonly(),
  resumes: chainHead.optional(),
  queue: token.nullable(),
  policy,
});

/**
 * Work here: main serves the engine on that lane of the channel. What is kept for this engine alone lies under `outbox` by its
 * `destination`; whom to believe stands in the records of the profile.
 */
const work = z.strictObject({
  kind: z.literal('work'),
  lane,
  destination: z.string().min(1).max(128),
  outbox: path,
  directory: path,
  serials: path,
});

const mainFrame = z.discriminatedUnion('kind', [
  configure,
  work,
  /** Give back what is claimed there, close all that is kept for it, then say `left`. */
  z.strictObject({ kind: z.literal('leave'), lane }),
  /** It is another one now. */
  z.strictObject({ kind: z.literal('policy'), policy }),
  /** The workspace's secrets are others now: these, in place of all that it has. */
  z.strictObject({ kind: z.literal('secrets'), ...secretFields }),
  /** Stop: finish or end the command within these limits, then say `drained`. */
  z.strictObject({ kind: z.literal('drain') }),
  /** Everything up to `drained` has been read: go. */
  z.strictObject({ kind: z.literal('exit') }),
]);

const workerFrame = z.discriminatedUnion('kind', [
  /** Configured and listening on its control subjects. */
  z.strictObject({ kind: z.literal('ready'), pid }),
  /** Cannot work with that configuration, and ends. */
  z.strictObject({ kind: z.literal('refused'), reason: line }),
  /** A process group began. */
  z.strictObject({ kind: z.literal('group-started'), pgid: pid }),
  /** A process group is over, nothing of it is left. */
  z.strictObject({ kind: z.literal('group-ended'), pgid: pid }),
  /** A task of the queue is at hand; said again when it has its approval and begins. `command`: as much of it as is shown. */
  z.strictObject({
    kind: z.literal('task-started'),
    taskId: token,
    command: z.array(z.string().max(maxShownWord)).max(maxShownWords).readonly(),
    isWaiting: z.boolean(),
  }),
  /** A task is over; its final status was handed to the bus before. `returned`: it is for another worker. */
  z.strictObject({
    kind: z.literal('task-ended'),
    taskId: token,
    outcome: z.enum(['done', 'failed', 'cancelled', 'returned']),
  }),
  /** What keeps it from its queue; null: it claims. */
  z.strictObject({ kind: z.literal('work-state'), lane, problem: line.nullable() }),
  /** Nothing of that lane is open or claimed any more. */
  z.strictObject({ kind: z.literal('left'), lane }),
  /** How far the session's chain has come; at most once a second, and before `drained`. */
  chainHead.extend({ kind: z.literal('head') }),
  /** Last of all: nothing more will be said. */
  z.strictObject({ kind: z.literal('drained'), reason: line }),
]);

/** Main → worker. */
export type MainFrame = z.infer<typeof mainFrame>;
/** Worker → main. */
export type WorkerFrame = z.infer<typeof workerFrame>;
/** A checked frame, or why there is none. */
export type FrameReading<Frame> = Frame | 'foreign' | 'malformed';

/** As much of a command as a frame holds. */
export function shownCommand(command: readonly string[]): readonly string[] {
  return command.slice(0, maxShownWords).map((word) => word.slice(0, maxShownWord));
}

const mainKinds = new Set<unknown>([
  'configure',
  'work',
  'leave',
  'policy',
  'secrets',
  'drain',
  'exit',
] satisfies MainFrame['kind'][]);
const workerKinds = new Set<unknown>([
  'ready',
  'refused',
  'group-started',
  'group-ended',
  'task-started',
  'task-ended',
  'work-state',
  'left',
  'head',
  'drained',
] satisfies WorkerFrame['kind'][]);

function read<Frame>(value: unknown, schema: z.ZodType<Frame>, kinds: ReadonlySet<unknown>): FrameReading<Frame> {
  if (typeof value !== 'object' || value === null) return 'malformed';
  const kind = (value as { kind?: unknown }).kind;
  if (typeof kind !== 'string') return 'malformed';
  if (!kinds.has(kind)) return 'foreign';
  const result = schema.safeParse(value);
  return result.success ? result.data : 'malformed';
}

/** Reads a value that main sent; never throws. */
export function readMainFrame(value: unknown): FrameReading<MainFrame> {
  return read(value, mainFrame, mainKinds);
}

/** Reads a value that a worker sent; never throws. */
export function readWorkerFrame(value: unknown): FrameReading<WorkerFrame> {
  return read(value, workerFrame, workerKinds);
}
