/** Exhaustiveness: makes a forgotten case of a union a compile error. Law: reaching it at run time is a bug, so it throws. */

/** Throws for a value that the type system says cannot exist. */
export function assertNever(value: never): never {
  throw new Error(`unexpected variant: ${typeof value}`);
}
