/** Links into the app as systems hand them over: Linux on the command line, macOS as an event. */

/** The last argument that says it is one; undefined: none does. What it says is judged by whoever reads it. */
export function linkIn(commandLine: readonly string[]): string | undefined {
  return commandLine.findLast((argument) => /^vak:/i.test(argument));
}
