/** What the model of a session said up to the cursor: thinking apart, each token with its time. */
import { memo, useEffect, useRef } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { visibleRuns } from '../../ui/visible-text.ts';
import type { TokenBlock, TokenReading, TokenTiming } from './token-log.ts';
import './session-tokens.css';

const channelWords = { assistant: 'answer', thinking: 'thinking' } as const;
/** The reader stands at the end if no more than this is below, px. */
const nearEndPx = 24;

const Block = memo(function Block({ block, isFirst }: { readonly block: TokenBlock; readonly isFirst: boolean }) {
  return (
    <div className={`session-said session-said-${block.channel}`} data-testid={`said-${block.channel}`}>
      {isFirst && <span className="session-said-channel">{channelWords[block.channel]}</span>}
      {block.missingCount > 0 && (
        <span className="session-said-missing">{formatCount(block.missingCount)} tokens are not here</span>
      )}
      <p className="session-said-text">
        {visibleRuns(block.text).map((run, at) =>
          run.isSign ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the runs of one text never change.
            <span key={at} className="payload-sign">
              {run.text}
            </span>
          ) : (
            run.text
          ),
        )}
      </p>
    </div>
  );
});

/** How the tokens came, and the one at the cursor. */
export function TokenTimes({ timing }: { readonly timing: TokenTiming }) {
  const { count, last, perSecond, longestWaitMs } = timing;
  if (last === undefined) return null;
  const rate = perSecond === undefined ? '' : ` · ${formatCount(perSecond, 1)}/s`;
  const longest = longestWaitMs === 0 ? '' : ` · longest wait ${formatDuration(longestWaitMs)}`;
  return (
    <span className="session-token-times data" data-testid="token-times" data-count={count}>
      {`${formatCount(count)} ${count === 1 ? 'token' : 'tokens'}${rate}${longest}`}
      <span className="dim" title={visibleText(last.text)}>
        {` · last “${visibleText(last.text.trim().slice(0, 16))}”`}
        {last.waitMs === undefined ? '' : ` +${formatDuration(last.waitMs)}`}
      </span>
    </span>
  );
}

export interface SessionTokensProps {
  readonly reading: TokenReading;
  /** Whether what comes next is shown as it comes. */
  readonly isLive: boolean;
}

export function SessionTokens({ reading, isLive }: SessionTokensProps) {
  const { blocks, timing, forgottenLength } = reading;
  const home = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each token the end moves.
  useEffect(() => {
    const element = home.current;
    if (element !== null && (isAtEnd.current || !isLive)) element.scrollTop = element.scrollHeight;
  }, [timing.count, isLive]);
  return (
    <div
      ref={home}
      className="session-tokens"
      role="region"
      aria-label="What the model said"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      data-testid="session-tokens"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - nearEndPx;
      }}
    >
      {forgottenLength > 0 && (
        <p className="session-hint dim">{formatCount(forgottenLength)} earlier characters are no longer here.</p>
      )}
      {blocks.map((block, at) => (
        <Block key={block.id} block={block} isFirst={blocks[at - 1]?.channel !== block.channel} />
      ))}
      {blocks.length === 0 && <p className="session-hint dim">No token of this session is here at that time.</p>}
    </div>
  );
}
