/** Why a task failed: the reason whole, the calls with the own ones marked, the stack as it came, every attempt. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { FrameLine, LetterAttempt, LetterReport } from '../../../shared/contract/dlq-contract.ts';
import { CopyFact, DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { formatCount, formatDateTime, formatDuration } from '../../ui/format.ts';
import { LongText } from '../../ui/payload/payload-text.tsx';
import { useViewState } from '../../workbench.tsx';

const firstLength = 4096;

function Frames({ frames }: { readonly frames: readonly FrameLine[] }) {
  if (frames.length === 0) return null;
  return (
    <>
      <h3 className="detail-heading">Calls, innermost first</h3>
      <ol className="letter-frames data" data-testid="letter-frames">
        {frames.map(({ call, file, isForeign }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the calls of one stack never change.
          <li key={at} className={isForeign ? 'dim' : 'letter-frame-own'} data-own={!isForeign}>
            <span className="letter-frame-mark">{isForeign ? 'library' : 'own'}</span>
            <span>{visibleText(call)}</span>
            {file !== '' && <span className="dim">{visibleText(file)}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

function Attempt({ attempt: one }: { readonly attempt: LetterAttempt }) {
  const zone = useViewState((state) => state.timeZone);
  const { attempt, workerId, startedMs, endedMs, reason, exitCode, errorClass, isProven } = one;
  return (
    <li className="letter-attempt">
      <p>
        <strong>Attempt {formatCount(attempt)}</strong> <span className="data">{visibleText(workerId)}</span>{' '}
        <span className="dim">
          ended {formatDateTime(endedMs, zone)} after {formatDuration(Math.max(0, endedMs - startedMs))}
          {exitCode !== null && ` · exit code ${exitCode}`}
          {errorClass !== null && ` · ${visibleText(errorClass)}`}
        </span>
      </p>
      <p className="letter-attempt-reason">{visibleText(reason)}</p>
      {!isProven && <p className="tone-wait">Only the dead letter says so: no receipt of it counts.</p>}
    </li>
  );
}

export function LetterFailure({ letter }: { readonly letter: LetterReport }) {
  const { errorClass, reasonText, frames, stack, attemptList, fingerprint, workerId } = letter;
  return (
    <div className="letter-page" data-testid="letter-failure">
      <p className="letter-reason" data-testid="letter-reason">
        <strong className="data tone-bad">{visibleText(errorClass)}</strong>
      </p>
      <LongText text={reasonText} firstLength={firstLength} data-testid="letter-reason-text" />
      <DetailFacts>
        <CopyFact name="cause" value={fingerprint} />
        <CopyFact name="worker" value={workerId} />
        <DetailFact name="attempts">{letter.attempts === 0 ? '–' : formatCount(letter.attempts)}</DetailFact>
      </DetailFacts>
      <Frames frames={frames} />
      {stack !== null && (
        <>
          <h3 className="detail-heading">Stack, as it came</h3>
          <LongText text={stack} firstLength={firstLength} data-testid="letter-stack" />
        </>
      )}
      <h3 className="detail-heading">Attempts, newest first</h3>
      <ol className="letter-attempts">
        {attemptList.map((attempt) => (
          <Attempt key={`${attempt.attempt} ${attempt.endedMs}`} attempt={attempt} />
        ))}
      </ol>
      {attemptList.length === 0 && <p className="view-note dim">No attempt of it is known here.</p>}
    </div>
  );
}
