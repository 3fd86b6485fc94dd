/**
 * The text exposition format of Prometheus, version 0.0.4 (protocol.md W10).
 * Law: whatever the labels and helps hold, the text is well-formed; a histogram's buckets rise, and the last one is its count.
 */
import { countUpTo, type HistogramSnapshot } from './histogram.ts';

export type Labels = Readonly<Record<string, string>>;

interface Named {
  /** `[a-zA-Z_:][a-zA-Z0-9_:]*`; a counter's ends in `_total`, units are seconds and bytes. */
  readonly name: string;
  readonly help: string;
}

/** Metrics of one name; one without samples is left out. */
export type MetricFamily =
  | (Named & {
      readonly kind: 'counter' | 'gauge';
      readonly samples: readonly { readonly labels: Labels; readonly value: number }[];
    })
  | (Named & {
      readonly kind: 'histogram';
      /** Upper bounds in µs, rising, of three digits at most each: then they are exact. */
      readonly boundsUs: readonly number[];
      readonly samples: readonly { readonly labels: Labels; readonly histogram: HistogramSnapshot }[];
    });

const escapedHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapedValue = (text: string): string => escapedHelp(text).replaceAll('"', '\\"');

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function sampleLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedValue(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
}

function histogramLines(
  name: string,
  boundsUs: readonly number[],
  { labels, histogram }: { readonly labels: Labels; readonly histogram: HistogramSnapshot },
): string[] {
  const { count, sumUs } = histogram;
  const buckets = [
    ...boundsUs.map((bound) => [bound / 1e6, countUpTo(histogram, bound)]),
    [Number.POSITIVE_INFINITY, count],
  ];
  return [
    ...buckets.map(([le = 0, value = 0]) => sampleLine(`${name}_bucket`, { ...labels, le: numberText(le) }, value)),
    sampleLine(`${name}_sum`, labels, sumUs / 1e6),
    sampleLine(`${name}_count`, labels, count),
  ];
}

function familyText(family: MetricFamily): string {
  const { name, help, kind } = family;
  if (family.samples.length === 0) return '';
  const lines =
    family.kind === 'histogram'
      ? family.samples.flatMap((sample) => histogramLines(name, family.boundsUs, sample))
      : family.samples.map(({ labels, value }) => sampleLine(name, labels, value));
  return `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${kind}\n${lines.join('')}`;
}

/** One exposition. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('');
}
