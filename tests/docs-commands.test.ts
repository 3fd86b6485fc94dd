/** Each command that the documents show is one that there is, with the options and arguments that it takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CliHost } from '../src/peers/cli/command.ts';
import { findCommand, glanceAt, readCommandLine } from '../src/peers/cli/command-line.ts';
import { commandTable } from '../src/peers/cli/command-table.ts';
import { isVakError } from '../src/shared/base/vak-error.ts';
import { projectRoot } from './support/scratch-tree.ts';

const pages = [
  ...readdirSync(projectRoot).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md'),
  ...readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const textOf = (page: string): string => readFileSync(join(projectRoot, page), 'utf8');

/** Words of a shell's line, without quotes, comments and redirections; an operator ends a command. */
function commandsIn(line: string): readonly (readonly string[])[] {
  const parts = line.match(/'[^']*'|"(?:\\.|[^"\\])*"|#.*$|\$\([^)]*\)|[|&;()]+|[<>]+\s*\S+|[^\s'"|&;()<>]+/g) ?? [];
  const commands: string[][] = [[]];
  for (const part of parts) {
    if (part.startsWith('#')) break;
    if (/^[|&;()]/.test(part)) commands.push([]);
    else if (!/^[<>]/.test(part)) commands.at(-1)?.push(part.replace(/^(['"])([\s\S]*)\1$/, '$2'));
  }
  return commands;
}

interface Shown {
  readonly page: string;
  readonly words: readonly string[];
}

/** All commands in blocks of shell lines, without what is set for them alone. */
const shown: readonly Shown[] = pages.flatMap((page) =>
  [...textOf(page).matchAll(/^```(?:sh|bash)?\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap(commandsIn)
      .map((words) => ({ page, words: words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))) }))
      .filter(({ words }) => words.length > 0),
  ),
);

/** Arguments of `vak`, however it is called; undefined: another program. */
function vakArgs([program = '', script = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (program === 'vak') return [script, ...rest].filter((word) => word !== '');
  return program === 'node' && script.endsWith('peers/vak.js') ? rest : undefined;
}

const host = { environment: {}, homeFolder: '/home', platform: 'linux' } as unknown as CliHost;

function faultOf(args: readonly string[]): string | undefined {
  const { words, isHelp } = glanceAt(args, commandTable);
  if (isHelp || args.length === 0) return undefined;
  const command = findCommand(words, commandTable);
  if (command === undefined) return `no command ${words.join(' ')}`;
  try {
    // A variable stands for a word that fits.
    readCommandLine(
      command,
      args.map((word) => word.replace(/\$\{?[A-Z_]+\}?/g, 'x')),
      host,
    );
    return undefined;
  } catch (error) {
    if (isVakError(error)) return error.message;
    throw error;
  }
}

test('the commands of vak in the documents are read as they stand', () => {
  const all = shown.flatMap(({ page, words }) => {
    const args = vakArgs(words);
    return args === undefined ? [] : [{ page, line: words.join(' '), fault: faultOf(args) }];
  });
  expect(all.length).toBeGreaterThan(40);
  expect(all.filter(({ fault }) => fault !== undefined)).toEqual([]);
});

test('npm runs what the documents say', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  const asked = pages.flatMap((page) =>
    [...textOf(page).matchAll(/npm (?:run ([a-z:-]+)|(start|test)\b)/g)].map(([, name, own]) => ({
      page,
      name: name ?? own ?? '',
    })),
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test('a command that is none, and an option that is none, are found', () => {
  expect(faultOf(['room', 'dance'])).toBeDefined();
  expect(faultOf(['provision', '--replica', '3'])).toContain('--replica');
  expect(faultOf(['id', 'backup'])).toContain('FILE is missing');
  expect(faultOf(['id', 'backup', '$FILE'])).toBeUndefined();
});
