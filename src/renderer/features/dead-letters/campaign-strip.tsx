/** Retries that run, and the last one that is over: how far it is, what came of each letter, why it stopped. */
import { Square } from 'lucide-react';
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { CampaignState, RetryOutcome } from '../../../shared/contract/dlq-contract.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount, formatDateTime, formatPercent, formatRate } from '../../ui/format.ts';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { StateMark } from './letter-marks.tsx';
import { whyNotStop } from './letter-reasons.ts';
import { campaignWords, lettersWords, outcomeWords, settledCount, stepWords } from './letter-words.ts';
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

function Campaign({ campaign }: { readonly campaign: CampaignState }) {
  const work = useLetterWork();
  const { reportError } = useWorkbench();
  const connection = useSnapshot('connections.state');
  const zone = useViewState((state) => state.timeZone);
  const { kind, by, startedMs, title, count, state, why, ratePerSec, operationId, reason } = campaign;
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
        <StateMark word={campaignWords[state]} />
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
        <span className="dim campaign-facts">{facts.join(' · ')}</span>
      </div>
      {why !== null && (
        <p className={state === 'done' ? 'campaign-why dim' : 'campaign-why tone-wait'} data-testid="campaign-why">
          {visibleText(why)}
        </p>
      )}
    </li>
  );
}

export function CampaignStrip({ campaigns }: { readonly campaigns: readonly CampaignState[] }) {
  const [isWhole, setIsWhole] = useState(false);
  if (campaigns.length === 0) return null;
  const running = campaigns.filter(isUnderWay);
  const first = running.length > 0 ? running : campaigns.slice(0, 1);
  const shown = isWhole ? campaigns : first;
  const hidden = campaigns.length - first.length;
  return (
    <section className="campaigns" aria-label="Retries" data-testid="campaigns">
      <ol>
        {shown.map((campaign) => (
          <Campaign key={campaign.operationId} campaign={campaign} />
        ))}
      </ol>
      {hidden > 0 && (
        <Button variant="quiet" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show ${formatCount(hidden)} earlier`}
        </Button>
      )}
    </section>
  );
}
