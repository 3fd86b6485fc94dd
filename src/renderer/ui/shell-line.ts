/** A command as one line that a shell reads as the same command. Pure. */

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

function quoted(argument: string): string {
  return plain.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** The words of the command, each quoted where a shell would take it otherwise. */
export function shellLine(command: readonly string[]): string {
  return command.map(quoted).join(' ');
}

const shells = new Set(['sh', '/bin/sh', 'bash', '/bin/bash']);

export interface CommandParts {
  /** `/bin/sh -c`; undefined: the command is no script of a shell. */
  readonly shell: string | undefined;
  /** The script as it stands, else the command's own line. */
  readonly text: string;
}

/** What is run, as it is read best: a shell's script by itself, anything else as a line. Nothing is left out. */
export function commandParts(command: readonly string[]): CommandParts {
  const [program = '', option, script] = command;
  if (command.length === 3 && shells.has(program) && option === '-c' && script !== undefined)
    return { shell: `${program} -c`, text: script };
  return { shell: undefined, text: shellLine(command) };
}
