/**
 * Links into the app, and files for it, that came from outside it wait here until the operator has seen where they lead.
 * Law: hostile text is read once and strictly; a file is touched only when the operator says so; only the newest waits, so that a flood
 * of them is one question.
 */
import { basename } from 'node:path';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { OfferedFile, WaitingLink } from '../../shared/contract/links-contract.ts';
import { parseDeepLink } from '../../shared/protocol/deep-link.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';

/** What the system handed over: a text that it says is a link, or the path of a file that is ours by its extension. */
export type HandedOver = { readonly link: string } | { readonly file: string };

export interface LinksService {
  /** Takes it. Never throws. */
  take(handed: HandedOver): void;
  waiting(): WaitingLink | null;
  /** The prompt, which gives the file that waits as `linkId` without a question, once. */
  answering(prompt: OperatorPrompt): OperatorPrompt;
  readonly calls: Services<AppContract>['links'];
}

type Read = Pick<WaitingLink, 'link' | 'file' | 'why'>;

function readLink(text: string): Read {
  try {
    return { link: parseDeepLink(text), file: null, why: null };
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { link: null, file: null, why: error.message };
  }
}

const fileKinds: Readonly<Record<string, OfferedFile['kind']>> = { vakbundle: 'bundle', creds: 'credentials' };

function readFile(path: string): Read {
  const kind = fileKinds[path.split('.').at(-1)?.toLowerCase() ?? ''];
  if (kind === undefined) return { link: null, file: null, why: 'file: it is neither a .vakbundle nor a .creds file' };
  return { link: null, file: { kind, name: basename(path) }, why: null };
}

/** Creates it with nothing waiting. */
export function createLinksService(onChange: () => void): LinksService {
  let waiting: WaitingLink | null = null;
  let path = '';
  let lastId = 0;

  function answer(id: number): boolean {
    if (waiting?.id !== id) return false;
    waiting = null;
    onChange();
    return true;
  }

  function takeFile(id: number): string {
    const isFile = waiting !== null && waiting.id === id && waiting.file !== null;
    if (isFile && answer(id)) return path;
    throw new VakError('conflict', 'file: it does not wait any more; open it again from where it lies');
  }

  return {
    take(handed) {
      lastId++;
      const droppedCount = waiting === null ? 0 : waiting.droppedCount + 1;
      const read = 'link' in handed ? readLink(handed.link) : readFile(handed.file);
      path = 'file' in handed ? handed.file : '';
      waiting = { id: lastId, ...read, droppedCount };
      onChange();
    },
    waiting: () => waiting,
    answering: (prompt) => ({
      ...prompt,
      async chooseOpenFile({ title, linkId }) {
        return linkId === undefined ? await prompt.chooseOpenFile({ title }) : takeFile(linkId);
      },
    }),
    calls: {
      answer: ({ id }) => void answer(id),
    },
  };
}
