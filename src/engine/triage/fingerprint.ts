/**
 * What makes two failures one: error class, shape of the message, and the calls nearest to where it happened (product.md "Dead letters").
 * Law: pure; the same failure has the same fingerprint in every occurrence, process and version of a build, whatever ids, times, paths
 * and line numbers it had.
 */
import { createHash } from 'node:crypto';
import { messageShape } from './message-shape.ts';
import type { StackFrame } from './stack-lines.ts';
import { readStack, type StackError } from './stack-reading.ts';

/** What is told of a failure; texts as a peer wrote them. */
export interface Failure {
  readonly errorClass: string;
  readonly reason: string;
  readonly stack?: string | undefined;
}

export interface Fingerprint {
  /** 16 lower hex digits. */
  readonly id: string;
  readonly errorClass: string;
  /** Class of the error at the root, as its program names it; empty if there is no stack. */
  readonly rootType: string;
  /** What people read: the shape of what went wrong. */
  readonly shape: string;
  /** Innermost first, five at most. */
  readonly frames: readonly StackFrame[];
}

const maxFrames = 5;
/** What others ended: how far its output was by then says nothing of the cause. */
const endedByOthers = /^(?:timeout|output-limit|cancelled|given-back|signal\.SIG(?:KILL|TERM|INT|HUP|QUIT))$/;

/** The error that began it: the last cause that has frames, else the last. */
function rootOf(errors: readonly StackError[]): StackError | undefined {
  return errors.findLast(({ frames }) => frames.length > 0) ?? errors.at(-1);
}

/** Calls of the program itself; of a library's if there are no others. A call that goes on calling itself is one. */
function topFrames({ frames }: StackError): readonly StackFrame[] {
  const own = frames.filter(({ isForeign }) => !isForeign);
  const wanted = own.length === 0 ? frames : own;
  return wanted
    .filter((one, at) => one.call !== wanted[at - 1]?.call || one.file !== wanted[at - 1]?.file)
    .slice(0, maxFrames);
}

/** The fingerprint of a failure. Never throws. */
export function fingerprintOf({ errorClass, reason, stack = '' }: Failure): Fingerprint {
  const errors = endedByOthers.test(errorClass) ? [] : readStack(stack);
  const root = rootOf(errors);
  const frames = root === undefined ? [] : topFrames(root);
  const rootShape = root === undefined ? '' : messageShape(root.message, frames.length > 0 ? 1 : undefined);
  const reasonShape = messageShape(reason);
  const parts = [
    errorClass,
    reasonShape,
    ...errors.map(({ type }) => type),
    rootShape,
    ...frames.map(({ call, file }) => `${call} ${file}`),
  ];
  const id = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  const shape = rootShape === '' || reasonShape.includes(rootShape) ? reasonShape : `${reasonShape} · ${rootShape}`;
  return { id, errorClass, rootType: root?.type ?? '', shape, frames };
}
