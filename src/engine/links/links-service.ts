/**
 * Links into the app that came from outside it wait here until the operator has seen where they lead.
 * Law: hostile text is read once and strictly; only the newest waits, so that a flood of them is one question.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { WaitingLink } from '../../shared/contract/links-contract.ts';
import { parseDeepLink } from '../../shared/protocol/deep-link.ts';

export interface LinksService {
  /** Takes a text that the system says is a link. Never throws. */
  take(text: string): void;
  waiting(): WaitingLink | null;
  readonly calls: Services<AppContract>['links'];
}

function read(text: string): Pick<WaitingLink, 'link' | 'why'> {
  try {
    return { link: parseDeepLink(text), why: null };
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { link: null, why: error.message };
  }
}

/** Creates it with no link waiting. */
export function createLinksService(onChange: () => void): LinksService {
  let waiting: WaitingLink | null = null;
  let lastId = 0;
  return {
    take(text) {
      lastId++;
      const droppedCount = waiting === null ? 0 : waiting.droppedCount + 1;
      waiting = { id: lastId, ...read(text), droppedCount };
      onChange();
    },
    waiting: () => waiting,
    calls: {
      answer({ id }) {
        if (waiting?.id !== id) return;
        waiting = null;
        onChange();
      },
    },
  };
}
