/**
 * Where every message of the bus enters this process: judged once, kept in the buffer, handed to whoever handles its subject.
 * Law: what breaks the workspace's policy goes to the quarantine and to no handler (E8). What was refused only for want of a grant or
 * a secret is judged again when that may be known (E21); a handler that took a message is never told of it again.
 */
import { createDisposer, type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { checkPattern, matches } from '../../shared/protocol/subject.ts';
import type { Message } from '../bus/bus.ts';
import type { HeldMessage } from '../feeds/message-buffer.ts';
import { createMessageJudge, type MessageJudge, type MessageJudgeDeps } from './message-judge.ts';
import type { Quarantine } from './quarantine.ts';
import type { TrustKnowledge, Want } from './trust-knowledge.ts';
import { createUndecided, type UndecidedMessage } from './undecided.ts';

/**
 * Told of each message on its subjects, inside its arrival; `admit` is what the intake answers. True: it has done with the message.
 * Who gives false, because it was denied the message, is told of it once more if it turns out to be sound.
 */
export type MessageHandler = (held: HeldMessage) => boolean;

export interface Intake extends Pick<MessageJudge, 'claim' | 'admit' | 'checkSignature' | 'open'>, Disposable {
  /** Takes a message of the bus. */
  take(message: Message): void;
  /** Whether a message is soundly signed, as far as that is asked for, and nothing speaks against it; it need not open. */
  isSound(held: HeldMessage): boolean;
  /** Calls back for messages on subjects that a pattern matches. Throws `invalid-pattern`. */
  handle(pattern: string, handler: MessageHandler): Disposable;
}

/** What the intake is made of. */
export interface IntakeDeps extends Omit<MessageJudgeDeps, 'waiting' | 'seekGrants' | 'owners'> {
  readonly quarantine: Quarantine;
  readonly knowledge: TrustKnowledge;
}

/** After a message was refused for its grant the grants are looked at once more: the first look may have been too soon after another. */
const lookAgainMs = 20;
/** How often secrets are looked for while a message waits for one. */
const seekMs = 1000;

interface Handling {
  readonly pattern: string;
  readonly handler: MessageHandler;
}

/** Messages that wait for something to be known, and the looking for it. */
function createWaiting({ knowledge, clock }: Pick<IntakeDeps, 'knowledge' | 'clock'>) {
  const undecided = createUndecided<Handling>(knowledge.basisOf);
  let looking: Disposable | undefined;
  let seeking: Disposable | undefined;

  function seekSecrets(): void {
    knowledge.seekSecrets();
    seeking ??= clock.setTimer(seekMs, () => {
      seeking = undefined;
      if (undecided.lacksSecret) seekSecrets();
    });
  }

  function lookSoon(): void {
    looking ??= clock.setTimer(lookAgainMs, () => {
      looking = undefined;
      knowledge.seekGrants();
    });
  }

  return {
    undecided,
    add(seq: number, want: Want): void {
      undecided.add(seq, want);
      if (want.kind === 'secret') seekSecrets();
      // An alias is set here, and heard of.
      else if (want.kind === 'grant') lookSoon();
    },
    remove: undecided.remove,
    dispose() {
      looking?.dispose();
      seeking?.dispose();
    },
  };
}

/** Creates an intake over the engine's buffer. */
export function createIntake(deps: IntakeDeps): Intake {
  const { buffer, quarantine, knowledge, clock } = deps;
  const disposer = createDisposer();
  const handlings = new Set<Handling>();
  const waiting = disposer.add(createWaiting(deps));
  const { undecided } = waiting;
  const judge = createMessageJudge({ ...deps, waiting, seekGrants });
  let judgedVersion = knowledge.version();
  let isJudging = false;

  /** Tells handlers of a message; those that do not take it are owed it as long as it waits. */
  function tell(held: HeldMessage, to: Iterable<Handling>): void {
    let owed: Handling[] | undefined;
    for (const one of to) {
      if (!handlings.has(one) || !matches(one.pattern, held.subject) || one.handler(held)) continue;
      owed ??= [];
      owed.push(one);
    }
    if (owed !== undefined) undecided.owe(held.seq, owed);
  }

  function judgeAgain({ seq, want, owed }: UndecidedMessage<Handling>): void {
    const held = buffer.get(seq) ?? quarantine.get(seq);
    if (held === undefined) return;
    const wasRefused = held.trust.refusal !== undefined;
    judge.judgeAgain(held, want);
    if (undecided.has(seq)) undecided.owe(seq, owed);
    else if (held.trust.refusal === undefined) tell(held, owed);
    buffer.revise(seq, wasRefused);
  }

  /** Before each judgement: judges again what waited for something of which more is known now, in the order in which it came. */
  function catchUp(): void {
    if (isJudging) return;
    knowledge.look();
    if (undecided.size === 0 || judgedVersion === knowledge.version()) return;
    isJudging = true;
    judgedVersion = knowledge.version();
    try {
      for (const one of undecided.takeChanged()) judgeAgain(one);
    } finally {
      isJudging = false;
    }
  }

  /** What waited is ahead of whoever asks, in its chain and with its handlers. */
  function seekGrants(): boolean {
    const before = knowledge.version();
    knowledge.seekGrants();
    catchUp();
    return knowledge.version() !== before;
  }

  disposer.add(knowledge.onChange(() => clock.defer(catchUp)));

  return {
    take(message) {
      if (undecided.size > 0) seekGrants();
      else catchUp();
      tell(judge.receive(message), handlings);
    },
    claim: judge.claim,
    isSound(held) {
      catchUp();
      return judge.standing(held) === 'sound';
    },
    handle(pattern, handler) {
      const entry = { pattern: checkPattern(pattern), handler };
      handlings.add(entry);
      return toDisposable(() => handlings.delete(entry));
    },
    admit(held) {
      catchUp();
      return judge.admit(held);
    },
    checkSignature(held) {
      catchUp();
      return judge.checkSignature(held);
    },
    open: judge.open,
    dispose: () => disposer.dispose(),
  };
}
