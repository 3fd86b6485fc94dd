/** `vak chain verify|prove|check`: the chains in a file of envelopes, link by link (protocol.md E10–E12). */
import { type ChainReader, type ChainSummary, createChainReader } from '../../engine/envelope/chain-reader.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { openEnvelopeLines } from './chain-input.ts';
import { checkCommand, proveCommand } from './chain-proof-commands.ts';
import { type Command, exitCodes } from './command.ts';
import { isWrapped, readMessage, wrappedError } from './message-reading.ts';
import type { Output } from './output.ts';
import type { InputLine } from './standard-input.ts';

const maxLineBytes = 1024 * 1024;
/** Sources that are followed at once. */
const maxChains = 4096;

/** Verdicts that break nothing by themselves; of gaps only what is still missing at the end counts. */
const soundVerdicts: ReadonlySet<string> = new Set(['ok', 'void', 'gap']);

/** What is printed of a line of input. */
interface LinkLine {
  readonly line: number;
  readonly verdict: string;
}

function malformed(line: number, why: string, output: Output): LinkLine {
  const value = { line, verdict: 'malformed', why };
  output.data(value, `${line}  malformed  ${visibleText(why)}`);
  return value;
}

/** Which sources are named as the ones before (E12), and which were there; the first {@link maxChains} of each. */
function createSuccession() {
  const [named, seen] = [new Set<string>(), new Set<string>()];
  const add = (set: Set<string>, source: string): void => {
    if (set.size < maxChains) set.add(source);
  };
  return {
    note({ source, resumes }: Envelope): void {
      add(seen, source);
      // `<source>#<seq>:<leaf>`; a foreign source may hold a number sign.
      const end = resumes?.lastIndexOf('#') ?? -1;
      if (resumes !== undefined && end > 0) add(named, resumes.slice(0, end));
    },
    /** How many are named and were not there. */
    unseenCount: (): number => [...named].filter((source) => !seen.has(source)).length,
  };
}

type Succession = ReturnType<typeof createSuccession>;

interface Judging {
  readonly chains: ChainReader;
  readonly succession: Succession;
  readonly output: Output;
  /** Whether a line was judged. */
  hasBegun: boolean;
}

/** Judges one line and prints the verdict. Throws `invalid-payload` if the input is lines that hold envelopes, and are none. */
function judgeLine(line: InputLine, judging: Judging): LinkLine {
  const { chains, succession, output } = judging;
  const { number } = line;
  if (line.kind === 'too-long') return malformed(number, `line: more than ${maxLineBytes} bytes`, output);
  try {
    const { envelope } = readMessage(line.bytes);
    judging.hasBegun = true;
    const { source, seqnum: seq } = envelope;
    succession.note(envelope);
    const { verdict, isFirst, leaf } = chains.read(envelope);
    const { kind, ...places } = verdict;
    const value = { line: number, source, seq, verdict: kind, ...('from' in places ? places : {}), isFirst, leaf };
    const missing = 'from' in places ? `  ${places.from}–${places.to} missing` : '';
    output.data(value, `${number}  ${visibleText(source)}#${seq}  ${kind}${missing}`);
    return value;
  } catch (error) {
    if (!isVakError(error)) throw error;
    const why = isWrapped(line.bytes) ? wrappedError(`line ${number}`) : error;
    // At the beginning it is the wrong input, within one that was right it is a bad line.
    if (why !== error && !judging.hasBegun) throw why;
    judging.hasBegun = true;
    return malformed(number, why.message, output);
  }
}

/** What a whole input came to. */
interface Tally {
  malformed: number;
  broken: number;
  unseen: number;
}

function summarise({ envelopes, verdicts, chains, forgottenChains, uncounted }: ChainSummary, tally: Tally) {
  const missing = chains.reduce((sum, chain) => sum + chain.missing, 0);
  // Of a chain that gave way to others nobody knows what is still missing: its gaps stand.
  const isWhole = missing === 0 && (forgottenChains === 0 || verdicts.gap === 0);
  const sources = chains.length + forgottenChains;
  return {
    ok: tally.broken === 0 && isWhole,
    envelopes,
    sources,
    sound: verdicts.ok + verdicts.void,
    gaps: verdicts.gap,
    missing,
    uncounted,
    unseen: tally.unseen,
    broken: tally.broken,
    malformed: tally.malformed,
  };
}

type Summary = ReturnType<typeof summarise>;

function summaryText({ ok, envelopes, sources, missing, uncounted, unseen, broken }: Summary): string {
  const atMost = uncounted === 0 ? '' : ` at most (${uncounted} came too scattered to be counted)`;
  return `${ok ? 'ok' : 'not ok'}  envelopes ${envelopes}, sources ${sources}, broken ${broken}, missing ${missing}${atMost}, unseen ${unseen}`;
}

const verify: Command = {
  words: ['chain', 'verify'],
  changes: 'nothing',
  args: ['[FILE]'],
  options: {},
  summary: 'Checks the chains of envelopes, one envelope a line, from a file or stdin.',
  notes: `Prints {line, source, seq, verdict, isFirst, leaf} for each envelope as it is read; verdict: ok, gap (with from, to), void, fork,
reordered, forged-payload, forged-link, or {line, verdict: malformed, why}. Then a summary {ok, envelopes, sources, sound,
gaps, missing, uncounted, unseen, broken, malformed}: missing counts places that nothing came for in the whole input and that no void
record explains, in whatever order it came, also where losing them is no alarm (sources that end in -e). It is exact while
uncounted is 0: of a source at most 100 000 separate runs of places are remembered, and what came beyond them is uncounted
and may be among the missing. unseen counts sources that another names as the one before it
and that are not in the input: it may begin after them, or they were left out. Exit code 1 if anything is broken (fork, reordered, forged, malformed) or missing. Where a chain
begins in the middle, what came before is not known and not missing. FILE is an ordinary file; anything else goes to stdin.
Blank lines are skipped; a line of more than 1 MiB is malformed. What vak subscribe --open and vak stream view print goes through
jq -c .envelope first; else it is exit code 2. Signatures are not checked here, see vak envelope verify.`,
  needs: 'messages.ndjson holds envelopes, one a line, as vak subscribe prints them',
  example: 'vak chain verify messages.ndjson --json\nzcat messages.ndjson.gz | vak chain verify',
  async run({ args: [path] }, host) {
    const { output } = host;
    const chains = createChainReader({ maxChains });
    const tally: Tally = { malformed: 0, broken: 0, unseen: 0 };
    const succession = createSuccession();
    const judging: Judging = { chains, succession, output, hasBegun: false };
    for await (const line of openEnvelopeLines(path, { maxBytes: maxLineBytes }, host)) {
      const { verdict } = judgeLine(line, judging);
      if (verdict === 'malformed') tally.malformed++;
      if (!soundVerdicts.has(verdict)) tally.broken++;
      if (!(await output.isTaken())) return undefined;
    }
    tally.unseen = succession.unseenCount();
    const summary = summarise(chains.summary(), tally);
    output.data(summary, summaryText(summary));
    return summary.ok ? exitCodes.done : exitCodes.no;
  },
};

export const chainCommands: readonly Command[] = [verify, proveCommand, checkCommand];
