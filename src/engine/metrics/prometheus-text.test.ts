import { expect, test } from 'vitest';
import { parsePrometheusText } from '../../../tests/support/prometheus-parser.ts';
import { createHistogram, emptySnapshot } from './histogram.ts';
import { type MetricFamily, prometheusText } from './prometheus-text.ts';

const hostile = 'a "quoted" \\ back\\nslash\nand {a="b"} 1 € \u2028';

function histogramOf(...ms: readonly number[]) {
  const histogram = createHistogram();
  for (const one of ms) histogram.record(one);
  return histogram.snapshot();
}

test('W10 the text is exactly that of the format', () => {
  const families: readonly MetricFamily[] = [
    { kind: 'counter', name: 'vak_a_total', help: 'What came.', samples: [{ labels: {}, value: 3 }] },
    { kind: 'gauge', name: 'vak_b_bytes', help: 'No sample, so nothing.', samples: [] },
    {
      ...{ kind: 'histogram', name: 'vak_c_seconds', help: 'Times.', boundsUs: [1_000, 2_500_000] },
      samples: [{ labels: { ws: 'x' }, histogram: histogramOf(0.5, 1, 1.001, 2_500, 2_501) }],
    },
  ];
  expect(prometheusText(families)).toBe(`# HELP vak_a_total What came.
# TYPE vak_a_total counter
vak_a_total 3
# HELP vak_c_seconds Times.
# TYPE vak_c_seconds histogram
vak_c_seconds_bucket{ws="x",le="0.001"} 2
vak_c_seconds_bucket{ws="x",le="2.5"} 4
vak_c_seconds_bucket{ws="x",le="+Inf"} 5
vak_c_seconds_sum{ws="x"} 5.003501
vak_c_seconds_count{ws="x"} 5
`);
});

test('W10 whatever labels and helps hold, a strict reader reads back what was written', () => {
  const families: readonly MetricFamily[] = [
    { kind: 'gauge', name: 'g', help: hostile, samples: [{ labels: { one: hostile, two: '' }, value: -0.5 }] },
    {
      ...{ kind: 'gauge', name: 'numbers', help: '' },
      samples: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e-9, 1e21, 0].map((value, at) => ({
        ...{ labels: { at: String(at) }, value },
      })),
    },
    { kind: 'histogram', name: 'h', help: 'h', boundsUs: [10], samples: [{ labels: {}, histogram: emptySnapshot }] },
  ];
  const read = parsePrometheusText(prometheusText(families));
  expect(read.get('g')).toEqual({ help: hostile, type: 'gauge', samples: [['g', { one: hostile, two: '' }, -0.5]] });
  expect(read.get('numbers')?.samples.map(([, , value]) => value)).toEqual([
    ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e-9, 1e21, 0],
  ]);
  expect(read.get('h')?.samples.map(([, , value]) => value)).toEqual([0, 0, 0, 0]);
});
