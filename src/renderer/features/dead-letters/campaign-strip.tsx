/**
 * Retries that run, and the last one that is over: how far it is, what came of each letter, why it stopped. Its place is there before
 * the first one is, so that no list moves when it begins.
 */
import { Square } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { CampaignState, RetryOutcome } from '../../../shared/contract/dlq-contract.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount, formatDateTime, formatPercent, formatRate } from '../../ui/format.ts';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { StateMark } from './letter-marks.tsx';
import { whyNotStop } from './letter-reasons.ts';
import { campaignWord, lettersWords, outcomeWords, settledCount, stepWords } from './letter-words.ts';
import { useLetterWork } from './use-letter-work.ts';
import './campaign-strip.css';

const kindWords = { retry: 'Retry', edit: 'Edited retry', retarget: 'Retry into another queue' } as const;
const isUnderWay = ({ state }: CampaignState): boolean => state === 'running' || state === 'waiting';

function Counts({ campaign }: { readonly campaign: CampaignState }) {
  const outcomes = (Object.keys(outcomeWords) as RetryOutcome[]).filter((outcome) => campaign.counts[outcome] > 0);
  return (
    <span className="campaign-counts">
      {outcomes.map((outcome) => {
        const { word, tone } = outcomeWords[outcome];
        return (
          <span
            key={outcome}
            className={tone === 'quiet' ? 'dim' : `tone-${tone}`}
            data-testid={`campaign-${outcome}`}
            data-count={campaign.counts[outcome]}
          >
            {formatCount(campaign.counts[outcome])} {word}
          </span>
        );
      })}
    </span>
  );
}

/** Why it stopped or waits, and what to do next; whole where one points at it. */
function Why({ campaign: { why, state } }: { readonly campaign: CampaignState }) {
  if (why === null) return null;
  const tone = state === 'done' ? 'dim' : 'tone-wait';
  return (
    <span className={`campaign-why ${tone}`} title={visibleText(why)} data-testid="campaign-why">
      {visibleText(why)}
    </span>
  );
}

interface CampaignProps {
  readonly campaign: CampaignState;
  /** The way to the others. */
  readonly more?: ReactNode;
}

function Campaign({ campaign, more }: CampaignProps) {
  const work = useLetterWork();
  const { reportError } = useWorkbench();
  const connection = useSnapshot('connections.state');
  const zone = useViewState((state) => state.timeZone);
  const { kind, by, startedMs, title, count, state, ratePerSec, operationId, reason } = campaign;
  const settled = settledCount(campaign);
  const step = stepWords(campaign);
  const share = count === 0 ? 0 : Math.floor((settled / count) * 100);
  const facts = [
    ...(step === undefined ? [] : [step]),
    // Of one that another app has at work the rate is not on record.
    ...(isUnderWay(campaign) && ratePerSec > 0 ? [formatRate(ratePerSec)] : []),
    ...[`by ${visibleText(by)}`, formatDateTime(startedMs, zone)],
    ...(reason === null ? [] : [visibleText(reason)]),
  ];
  return (
    <li className="campaign" data-testid="campaign" data-state={state} data-operation={operationId}>
      <div className="campaign-line">
        <StateMark word={campaignWord(campaign)} />
        <strong className="campaign-title" title={visibleText(title)}>
          {kindWords[kind]}: {visibleText(title)}
        </strong>
        <progress className="campaign-progress" max={count} value={settled} aria-label={`${kindWords[kind]}, ended`} />
        <span className="data campaign-share">
          {formatCount(settled)} of {lettersWords(count)} · {formatPercent(share)}
        </span>
        {isUnderWay(campaign) && (
          <Button
            icon={Square}
            disabledReason={whyNotStop({ connection }, campaign)}
            data-testid="campaign-stop"
            onClick={() => void work.stop(campaign).catch((error: unknown) => reportError('Stop the retry', error))}
          >
            Stop
          </Button>
        )}
      </div>
      <div className="campaign-line">
        <Counts campaign={campaign} />
        <Why campaign={campaign} />
        <span className="dim campaign-facts" title={facts.join(' · ')}>
          {facts.join(' · ')}
        </span>
        {more}
      </div>
    </li>
  );
}

export function CampaignStrip({ campaigns }: { readonly campaigns: readonly CampaignState[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const [first] = campaigns;
  const shown = isWhole ? campaigns : campaigns.slice(0, 1);
  const otherCount = campaigns.length - 1;
  const runningCount = campaigns.slice(1).filter(isUnderWay).length;
  const words =
    runningCount > 0
      ? `${formatCount(otherCount)} more, ${formatCount(runningCount)} under way`
      : `${formatCount(otherCount)} earlier`;
  const more = (
    <Button variant="quiet" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
      {isWhole ? 'Show fewer' : `Show ${words}`}
    </Button>
  );
  return (
    <section className="campaigns" aria-label="Retries" data-testid="campaigns">
      {first === undefined ? (
        <div className="campaign-none dim">
          <p>No retry was begun yet: how far one is, and what came of each letter, is told here.</p>
          <p>
            A few letters go first, and what fails again stops the rest; what is retried is frozen, and nothing is
            retried twice.
          </p>
        </div>
      ) : (
        <ol>
          {shown.map((campaign) => (
            <Campaign
              key={campaign.operationId}
              campaign={campaign}
              more={campaign === first && otherCount > 0 ? more : undefined}
            />
          ))}
        </ol>
      )}
    </section>
  );
}
