/**
 * What a subject tells about its message, remembered for the subjects seen lately.
 * Law: a subject that fits no row is `foreign`, never an error (S4).
 */
import { parseSubject, typeOfSubject } from '../../shared/protocol/subject.ts';

export interface SubjectFacts {
  /** `vak.<plane>.<verb>`, or `foreign`. */
  readonly type: string;
  readonly workspace: string | null;
  /** Set where the entity of the subject is a session. */
  readonly session: string | null;
}

export interface SubjectReader {
  read(subject: string): SubjectFacts;
}

/** Four verbs of each session that the app follows. */
const rememberedSubjects = 8192;
const foreign: SubjectFacts = { type: 'foreign', workspace: null, session: null };
const sessionPlanes = new Set(['events', 'receipts', 'approvals']);

function factsOf(subject: string): SubjectFacts {
  try {
    const parts = parseSubject(subject);
    return {
      type: typeOfSubject(parts),
      workspace: parts.workspace,
      session: sessionPlanes.has(parts.plane) ? parts.entity : null,
    };
  } catch {
    return foreign;
  }
}

/** Creates a reader with a bounded memory. */
export function createSubjectReader(): SubjectReader {
  const known = new Map<string, SubjectFacts>();
  return {
    read(subject) {
      const remembered = known.get(subject);
      if (remembered !== undefined) return remembered;
      if (known.size >= rememberedSubjects) known.clear();
      const facts = factsOf(subject);
      known.set(subject, facts);
      return facts;
    },
  };
}
