/** What names a trace in a text that was typed or pasted: its id, a whole `traceparent`, or the id of one of its envelopes. Pure. */

export type TraceSought =
  | { readonly kind: 'trace'; readonly traceId: string }
  | { readonly kind: 'envelope'; readonly envelopeId: string };

const traceForm = /^(?:[0-9a-f]{2}-)?([0-9a-f]{32})(?:-[0-9a-f]{16}-[0-9a-f]{2})?$/;
const envelopeForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Undefined: it names none. */
export function readTraceSought(text: string): TraceSought | undefined {
  const sought = text.trim().toLowerCase();
  if (envelopeForm.test(sought)) return { kind: 'envelope', envelopeId: sought };
  const traceId = traceForm.exec(sought)?.[1];
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : { kind: 'trace', traceId };
}
