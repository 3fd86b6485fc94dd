/** A message whose bytes could not be fetched; most often it has left the engine's buffer. */
import { isVakError } from '../../../shared/base/vak-error.ts';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';

const left = {
  why: 'The message has left the engine’s buffer: newer messages took its place.',
  next: 'Pause the table before reading next time, or filter by session so that fewer rows pass.',
};

export interface ReadFailureProps {
  readonly doing: string;
  readonly error: unknown;
  /** It lies in a stream, whose refusal says what that holds. */
  readonly isStored: boolean;
}

export function ReadFailure({ doing, error, isStored }: ReadFailureProps) {
  const report = describeError(doing, error);
  return (
    <div className="inspector-failure" data-testid="inspector-failure">
      <ErrorNotice report={!isStored && isVakError(error, 'not-found') ? { ...report, ...left } : report} />
    </div>
  );
}
