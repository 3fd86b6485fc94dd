/** What a link's verdict means, for people (protocol.md E11, E12). Law: each verdict has its own sentence, and it says what to do or that nothing is. */
import type { ArrivedLink } from './message-trust.ts';

const count = (from: number, to: number): string =>
  from === to ? `envelope ${from} is` : `envelopes ${from} to ${to} are`;

/** A sentence for a link as it arrived; `seq` is the envelope's own. */
export function explainLink({ verdict, isFirst }: ArrivedLink, seq: number): string {
  switch (verdict.kind) {
    case 'ok':
      if (isFirst) return `The first of its chain that was seen here; what came before envelope ${seq} is not known.`;
      return seq === 0 ? 'The first envelope of its chain.' : `Follows envelope ${seq - 1} of its chain.`;
    case 'gap':
      return `Between it and what came before, ${count(verdict.from, verdict.to)} missing: lost on the way, or never handed over.`;
    case 'void':
      return `Everything missing up to envelope ${verdict.seq} was refused for good, and its sender said so.`;
    case 'fork':
      return `Another envelope ${seq} of this chain came before: one of them is not its sender's, or the sender ran twice.`;
    case 'reordered':
      return `Envelope ${seq} came again, or after later ones: a repeat, or out of order.`;
    case 'forged-payload':
      return 'The payload that came is not the one that its hash names: it was changed on the way.';
    case 'forged-link':
      return `It names another predecessor than the envelope that came before it.`;
    case 'foreign-source':
      return 'It belongs to another chain.';
  }
}
