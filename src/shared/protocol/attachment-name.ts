/**
 * The name under which an attachment is shown and offered for saving (protocol.md R12, R13).
 * Law: it is one part of a path, at most 64 characters, and nothing in it can hide, reorder or end a text.
 */
import { z } from 'zod';

const maxLength = 64;
const maxExtension = 16;
/** Separators, control, format and bidi characters, line breaks, half characters. */
const unfit = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;
/** More marks than any script puts on one letter. */
const stackedMarks = /(\p{M}{4})\p{M}+/gu;

function isFit(name: string): boolean {
  return name.search(unfit) < 0 && name.search(stackedMarks) < 0 && !/^\.{1,2}$/.test(name) && name.trim() === name;
}

/** A name as a message carries it. */
export const attachmentNameField = z
  .string()
  .min(1)
  .max(maxLength)
  .refine(isFit, 'expected a file name without path, hidden characters or stacked marks');

/** The first characters, in at most `length` code units; no character is cut in two. */
function cut(text: string, length: number): string {
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > length) break;
    kept += character;
  }
  return kept;
}

/** The name that a file is sent under: the last part of its path, made to fit; its extension stays. */
export function attachmentName(path: string): string {
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).slice(0, 4096);
  const plain = last.normalize('NFC').replace(unfit, '_').replace(stackedMarks, '$1').trim();
  const dot = plain.lastIndexOf('.');
  const extension = dot > 0 && plain.length - dot <= maxExtension ? plain.slice(dot) : '';
  const stem = extension === '' ? plain : plain.slice(0, dot);
  const name = `${cut(stem, maxLength - extension.length).trim()}${extension}`;
  return isFit(name) && name !== '' ? name : 'file';
}
