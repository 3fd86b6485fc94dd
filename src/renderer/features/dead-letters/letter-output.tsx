/** What the session of a failure told around it: the end of its output, its figures, its states. */
import { useEffect, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { LetterAround, LetterReport } from '../../../shared/contract/dlq-contract.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatBytes, formatCount, formatPercent, formatTime, formatZone } from '../../ui/format.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { noOutputWords, sealedWords } from './letter-words.ts';
import './letter-output.css';

/** Lines that are shown of an output before more is asked for: the last ones say why. */
const firstLines = 40;
const maxStates = 12;

function Figure({
  name,
  values,
  format,
}: {
  readonly name: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
}) {
  const last = values.at(-1) ?? 0;
  return (
    <p className="letter-figure">
      <span className="dim">{name}</span>
      <Sparkline values={values} label={`${name} around the failure`} />
      <span className="data">
        {format(last)} <span className="dim">last</span>
      </span>
      <span className="data">
        {format(Math.max(...values))} <span className="dim">most</span>
      </span>
    </p>
  );
}

function Figures({ samples }: Pick<LetterAround, 'samples'>) {
  const zone = useViewState((state) => state.timeZone);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return <p className="view-note dim">No figures of it are known.</p>;
  return (
    <div className="letter-figures" data-testid="letter-figures">
      <Figure name="CPU" values={samples.map((one) => one.cpuPercent)} format={(value) => formatPercent(value)} />
      <Figure name="Memory" values={samples.map((one) => one.rssBytes)} format={formatBytes} />
      <p className="dim">
        {formatCount(samples.length)} samples, {formatTime(first.atMs, zone)} to {formatTime(last.atMs, zone)}{' '}
        {formatZone(zone, last.atMs)}
      </p>
    </div>
  );
}

function States({ states }: Pick<LetterAround, 'states'>) {
  const zone = useViewState((state) => state.timeZone);
  const shown = states.filter(({ state }) => state !== 'heartbeat').slice(-maxStates);
  if (shown.length === 0) return null;
  return (
    <>
      <h3 className="detail-heading">States, oldest first</h3>
      <ol className="letter-states data">
        {shown.map(({ atMs, state, reason }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was told around a failure never changes.
          <li key={at}>
            <span className="dim">{formatTime(atMs, zone)}</span>
            <span>{state}</span>
            <span className="dim">{reason ?? ''}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Output({ output }: { readonly output: LetterAround['outputs'][number] }) {
  const { stream, text, isCut } = output;
  const [isWhole, setIsWhole] = useState(false);
  const lines = text.split('\n');
  const hidden = isWhole ? 0 : Math.max(0, lines.length - firstLines);
  return (
    <>
      <h3 className="detail-heading">{stream}, its end</h3>
      {hidden > 0 && (
        <p className="letter-more">
          <Button variant="quiet" onClick={() => setIsWhole(true)}>{`Show ${formatCount(hidden)} lines before`}</Button>
        </p>
      )}
      {hidden === 0 && isCut && <p className="letter-more dim">What came before it is not kept.</p>}
      <pre className="letter-output data" data-testid={`letter-output-${stream}`}>
        {lines.slice(hidden).join('\n')}
      </pre>
    </>
  );
}

export interface LetterOutputProps {
  readonly around: LetterAround;
  /** As a bundle holds it, which whoever made it heard. */
  readonly isBundled: boolean;
}

export function LetterOutput({ around, isBundled }: LetterOutputProps) {
  const { outputs, samples, states, sealedCount } = around;
  const isEmpty = outputs.length + samples.length + states.length === 0;
  return (
    <div className="letter-page" data-testid="letter-around">
      {isEmpty ? (
        <p className="view-note dim" data-testid="letter-no-output">
          {noOutputWords(around, isBundled)}
        </p>
      ) : (
        <>
          {sealedCount > 0 && <p className="letter-why tone-wait">{sealedWords(sealedCount)}</p>}
          <Figures samples={samples} />
          {outputs.map((output) => (
            <Output key={output.stream} output={output} />
          ))}
          {outputs.length === 0 && <p className="view-note dim">It printed nothing that is held.</p>}
          <States states={states} />
        </>
      )}
    </div>
  );
}

interface Answer {
  readonly of: string;
  readonly around: LetterAround | undefined;
  readonly error: unknown;
}

/** As it was heard in this window. */
export function HeardOutput({ letter: { seq, session } }: { readonly letter: Pick<LetterReport, 'seq' | 'session'> }) {
  const { client } = useWorkbench();
  const of = `${seq} ${session}`;
  const [answer, setAnswer] = useState<Answer>({ of, around: undefined, error: undefined });
  useEffect(() => {
    const call = new AbortController();
    client.dlq.around({ seq }, { signal: call.signal }).then(
      (around) => {
        if (!call.signal.aborted) setAnswer({ of, around, error: undefined });
      },
      (error: unknown) => {
        if (!call.signal.aborted && !isVakError(error, 'aborted')) setAnswer({ of, around: undefined, error });
      },
    );
    return () => call.abort();
  }, [client, seq, of]);
  const { around, error } = answer.of === of ? answer : { around: undefined, error: undefined };
  if (error !== undefined)
    return (
      <div className="letter-page view-note">
        <ErrorNotice report={describeError('Read what its session said', error)} />
      </div>
    );
  if (around === undefined) return <p className="letter-page view-note dim late">Reading what its session said…</p>;
  return <LetterOutput around={around} isBundled={false} />;
}
