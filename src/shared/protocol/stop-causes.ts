/**
 * Why a command was made to end, as `detail.cause` of its final status says it (S6).
 * Law: what somebody asked for, or what ended with its worker as asked, is no failure of the command.
 */
const asked: ReadonlySet<string> = new Set(['cancelled', 'worker-stopping']);

/** Whether a command that counts as `failed` on the wire was ended because somebody wanted that. */
export function wasCancelled(detail: { readonly cause?: string | undefined } | undefined): boolean {
  return detail?.cause !== undefined && asked.has(detail.cause);
}
