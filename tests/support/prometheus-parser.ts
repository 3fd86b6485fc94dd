/**
 * A strict reader of the text format of Prometheus 0.0.4.
 * Law: it reads what the format's description says and nothing more; whatever else is there throws, with its line.
 */

export type PrometheusSample = readonly [name: string, labels: Readonly<Record<string, string>>, value: number];

export interface PrometheusFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: PrometheusSample[];
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*/;
const types: ReadonlySet<string> = new Set(['counter', 'gauge', 'histogram']);
const numberForm = /^(?:[+-]?Inf|NaN|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/;

function fail(why: string, line: string): never {
  throw new Error(`${why}: ${JSON.stringify(line)}`);
}

function withoutEscapes(text: string, allowed: string, line: string): string {
  return text.replaceAll(/\\(.?)/gs, (_, letter: string) => {
    if (letter === '' || !allowed.includes(letter)) fail('an escape that there is none of', line);
    return letter === 'n' ? '\n' : letter;
  });
}

function toNumber(text: string, line: string): number {
  if (!numberForm.test(text)) fail('no number', line);
  if (text.endsWith('Inf')) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}

function readLabels(text: string, line: string): { labels: Record<string, string>; rest: string } {
  const labels: Record<string, string> = {};
  if (!text.startsWith('{')) return { labels, rest: text };
  let rest = text.slice(1);
  while (!rest.startsWith('}')) {
    const name = labelName.exec(rest)?.[0] ?? fail('no label', line);
    if (name.startsWith('__') || name in labels) fail('a label that may not be there', line);
    const value = /^="((?:[^"\\\n]|\\.)*)"/s.exec(rest.slice(name.length)) ?? fail('no value of a label', line);
    labels[name] = withoutEscapes(value[1] ?? '', '\\"n', line);
    rest = rest.slice(name.length + value[0].length);
    if (rest.startsWith(',')) rest = rest.slice(1);
    else if (!rest.startsWith('}')) fail('labels go on without a comma', line);
  }
  return { labels, rest: rest.slice(1) };
}

function readSample(line: string): PrometheusSample {
  const name = metricName.exec(line)?.[0] ?? fail('no metric', line);
  const { labels, rest } = readLabels(line.slice(name.length), line);
  if (!rest.startsWith(' ')) fail('no space before the value', line);
  return [name, labels, toNumber(rest.slice(1), line)];
}

const keyOf = (labels: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(labels).sort());

/** Buckets rise, end in +Inf, which is the count; there is one sum and one count of each. */
function checkHistogram(name: string, { samples }: PrometheusFamily): void {
  const groups = new Map<string, PrometheusSample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample[1];
    groups.set(keyOf(labels), [...(groups.get(keyOf(labels)) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const valuesOf = (suffix: string) => group.filter(([own]) => own === `${name}_${suffix}`);
    const buckets = valuesOf('bucket');
    const bounds = buckets.map(([, { le = '' }]) => toNumber(le, key));
    const counts = buckets.map(([, , value]) => value);
    const [sum, count] = [valuesOf('sum'), valuesOf('count')];
    if (sum.length !== 1 || count.length !== 1 || group.length !== buckets.length + 2) fail('not one histogram', key);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || counts.at(-1) !== count[0]?.[2])
      fail('+Inf is not the count', key);
    if (bounds.some((bound, at) => at > 0 && bound <= (bounds[at - 1] ?? 0))) fail('bounds do not rise', key);
    if (counts.some((own, at) => own < (counts[at - 1] ?? 0))) fail('buckets do not rise', key);
  }
}

function checkFamily(name: string, family: PrometheusFamily): void {
  const suffixes = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  for (const [own] of family.samples)
    if (!suffixes.some((suffix) => own === name + suffix)) fail('another metric', own);
  if (family.samples.length === 0) fail('no sample', name);
  if (family.type === 'counter' && !name.endsWith('_total')) fail('a counter without _total', name);
  const keys = family.samples.map(([own, labels]) => own + keyOf(labels));
  if (new Set(keys).size !== keys.length) fail('a sample twice', name);
  if (family.type === 'histogram') checkHistogram(name, family);
}

/** Reads one exposition: of each metric HELP, TYPE, and then all of its samples. Throws Error for whatever is not so. */
export function parsePrometheusText(text: string): ReadonlyMap<string, PrometheusFamily> {
  const families = new Map<string, PrometheusFamily>();
  if (!text.endsWith('\n')) fail('the last line does not end', text.slice(-80));
  const lines = text.slice(0, -1).split('\n');
  let present: PrometheusFamily | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (!line.startsWith('#')) {
      (present ?? fail('a sample without a type', line)).samples.push(readSample(line));
      continue;
    }
    const [, name = '', help = ''] = /^# HELP ([^ ]+) (.*)$/s.exec(line) ?? fail('no help', line);
    const [, typed, type = ''] = /^# TYPE ([^ ]+) ([a-z]+)$/.exec(lines[++at] ?? '') ?? fail('no type', line);
    if (metricName.exec(name)?.[0] !== name || typed !== name || !types.has(type)) fail('no metric of a type', line);
    if (families.has(name)) fail('a metric twice', line);
    present = { help: withoutEscapes(help, '\\n', line), type, samples: [] };
    families.set(name, present);
  }
  for (const [name, family] of families) checkFamily(name, family);
  return families;
}
