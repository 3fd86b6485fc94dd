/** docs/troubleshooting.md names messages that the program really has. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from './support/scratch-tree.ts';

/** Shorter pieces would be found anywhere. */
const shortestPiece = 8;

const page = readFileSync(join(projectRoot, 'docs/troubleshooting.md'), 'utf8');
const messages = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = '']) => message);

const sources = ['src', 'scripts']
  .flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !/\.test\./.test(name))
  .map((name) => readFileSync(join(projectRoot, name), 'utf8'));

test('B10 the page has a good number of messages, and each stands in the program as it is written there', () => {
  expect(messages.length).toBeGreaterThan(30);
  const pieces = messages.flatMap((message) => message.split('…').map((piece) => ({ message, piece: piece.trim() })));
  const long = pieces.filter(({ piece }) => piece.length >= shortestPiece);
  expect(new Set(long.map(({ message }) => message)).size).toBe(messages.length);
  expect(long.filter(({ piece }) => !sources.some((text) => text.includes(piece)))).toEqual([]);
});
