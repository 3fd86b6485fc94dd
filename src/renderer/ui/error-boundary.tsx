/** Keeps a defect in one part of the window from taking the rest with it. */
import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { describeError } from './describe-error.ts';
import { EmptyState } from './empty-state.tsx';

export interface ErrorScreenProps {
  /** What cannot be shown: "Streams", "The window". */
  readonly what: string;
  readonly error: unknown;
  readonly retryLabel: string;
  readonly onRetry: () => void;
}

export function ErrorScreen({ what, error, retryLabel, onRetry }: ErrorScreenProps) {
  const report = describeError(`Show ${what}`, error);
  return (
    <div role="alert" className="error-screen">
      <EmptyState title={`${what} cannot be shown`} what={report.why} next={report.next}>
        <Button variant="primary" onClick={onRetry}>
          {retryLabel}
        </Button>
        <CopyButton text={report.details}>Copy details</CopyButton>
      </EmptyState>
    </div>
  );
}

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Draws what stands in place of the failed part. `retry` draws the part anew. */
  readonly fallback: (error: unknown, retry: () => void) => ReactNode;
}

interface ErrorBoundaryState {
  /** Wrapped, as anything may be thrown, `undefined` too. */
  readonly failure: { readonly error: unknown } | null;
}

/** A class because React offers boundaries in no other form. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failure: { error } };
  }

  readonly retry = (): void => this.setState({ failure: null });

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === null ? this.props.children : this.props.fallback(failure.error, this.retry);
  }
}
