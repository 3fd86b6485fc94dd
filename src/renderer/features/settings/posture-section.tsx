/** One calm line on how well this installation protects what it holds; its parts, and what to do about the weak ones, below it. */
import { CircleDashed, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useSnapshot } from '../../workbench.tsx';
import { type PosturePart, postureLine, postureOf } from './posture.ts';
import { SettingsSection } from './settings-section.tsx';
import './posture-section.css';

const icons = { ok: ShieldCheck, weak: ShieldAlert, unknown: CircleDashed } as const;

function Part({ part }: { readonly part: PosturePart }) {
  const { id, label, tone, words, advice } = part;
  const Icon = icons[tone];
  return (
    <div className="posture-part" data-testid={`posture-${id}`} data-tone={tone}>
      <dt>
        <Icon className={`posture-${tone}`} size={14} aria-hidden="true" />
        {label}
      </dt>
      <dd>
        {words}
        {advice !== null && <span className="posture-advice dim">{advice}</span>}
      </dd>
    </div>
  );
}

export function PostureSection({ natsUrl }: { readonly natsUrl: string | null }) {
  const app = useSnapshot('app.status');
  const keyStore = useSnapshot('identity.keyStore');
  const connections = useSnapshot('connections.state');
  if (app === undefined || keyStore === undefined || connections === undefined) return null;
  const posture = postureOf({ app, keyStore, connections, natsUrl });
  return (
    <SettingsSection title="Posture" name="posture">
      <details className="posture-details" open={posture.some(({ tone }) => tone === 'weak')}>
        <summary data-testid="posture-line">{postureLine(posture)}</summary>
        <dl className="posture">
          {posture.map((part) => (
            <Part key={part.id} part={part} />
          ))}
        </dl>
      </details>
    </SettingsSection>
  );
}
