/** One line that names a command. Law: it is made of the command's own words, and a script is named by its first line. */

const shells = new Set(['sh', '/bin/sh', 'bash', '/bin/bash']);

/** The command line; of a shell's script its first line, and if that is a comment, its words. */
export function commandTitle(command: readonly string[]): string {
  const [program = '', option, script] = command;
  const isScript = command.length >= 3 && shells.has(program) && option === '-c';
  if (!isScript || script === undefined) return command.join(' ');
  const line = script.trimStart().split('\n', 1)[0] ?? '';
  return line.replace(/^#+\s*(?=\S)/, '').trimEnd();
}
