/** One of a few things, of which one is chosen. */
export interface Choice<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** Why it cannot be chosen now. */
  readonly disabledReason?: string | undefined;
}
