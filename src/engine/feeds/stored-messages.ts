/**
 * What was read from a stream as Streams shows it: judged as it lies there, each message by itself (docs/spec/streams.md V3).
 * Law: nothing of it is kept, and no chain moves on by it: a stream holds only a part of the chains of its sources.
 */
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReading } from '../envelope/envelope-reader.ts';
import { hasOwnPayload } from '../envelope/link.ts';
import {
  createMessageJudge,
  initialTrust,
  type MessageJudge,
  type MessageJudgeDeps,
} from '../envelope/message-judge.ts';
import { judgeLink, judgeReceived } from '../envelope/receive-policy.ts';
import type { TrustKnowledge } from '../envelope/trust-knowledge.ts';
import { createMessageBuffer, type HeldMessage } from './message-buffer.ts';
import type { SubjectReader } from './subject-reader.ts';

/** What judges by themselves; `hold` takes in a message, which the others then know. */
export interface StoredMessages extends Pick<MessageJudge, 'admit' | 'checkSignature' | 'open'> {
  hold(message: StoredMessage): HeldMessage;
}

export interface StoredMessagesDeps
  extends Omit<MessageJudgeDeps, 'buffer' | 'quarantine' | 'waiting' | 'seekGrants' | 'owners' | 'knowledge'> {
  readonly subjects: SubjectReader;
  readonly knowledge: Pick<TrustKnowledge, 'look' | 'followsAliases'>;
}

/** Nothing was heard before or after: there is nothing to look up. */
const nothingHeard = () => createMessageBuffer({ capacityCount: 1, capacityBytes: 1 });
const ignore = (): void => {};

/** Creates it. */
export function createStoredMessages(deps: StoredMessagesDeps): StoredMessages {
  const { reader, subjects, workspace, policy, knowledge } = deps;
  const { admit, checkSignature, open } = createMessageJudge({
    ...deps,
    buffer: nothingHeard(),
    quarantine: { add: ignore, change: ignore },
    waiting: { add: ignore, remove: ignore },
    seekGrants: () => false,
    // Who spoke first in a session is not to be told from a page.
    owners: { claim: ignore, isOfAnother: () => false },
  });

  const ownRefusal = (reading: EnvelopeReading) =>
    reading.kind !== 'envelope' || hasOwnPayload(reading) ? undefined : judgeLink({ kind: 'forged-payload' });

  return {
    ...{ admit, checkSignature, open },
    hold({ seq, storedMs, subject, data }) {
      knowledge.look();
      const reading = reader.read(data);
      const refusal = judgeReceived({ subject, reading }, { workspace, policy: policy() }) ?? ownRefusal(reading);
      const seen = initialTrust(reading, subjects.read(subject).type);
      return {
        ...{ seq, atMs: storedMs, subject, data },
        trust: { link: undefined, ...seen, refusal, isAccepted: false, isStored: true },
      };
    },
  };
}
