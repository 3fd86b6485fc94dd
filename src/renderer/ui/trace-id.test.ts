import { expect, test } from 'vitest';
import { readTraceSought } from './trace-id.ts';

test('T10 a trace is named by its id, a traceparent, or the id of one of its envelopes; anything else names none', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  for (const text of [traceId, ` ${traceId.toUpperCase()} `, `00-${traceId}-b7ad6b7169203331-01`])
    expect(readTraceSought(text)).toEqual({ kind: 'trace', traceId });
  const envelopeId = '0197a3c0-0000-7000-8000-000000000001';
  expect(readTraceSought(envelopeId)).toEqual({ kind: 'envelope', envelopeId });
  for (const text of ['', '0'.repeat(32), `${traceId}0`, 'render', `${envelopeId}1`])
    expect(readTraceSought(text)).toBeUndefined();
});
