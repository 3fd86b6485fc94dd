/** What of the settings file is not used, and what to do about it. */
import { TriangleAlert } from 'lucide-react';
import type { SettingsState } from '../../../shared/contract/settings-contract.ts';
import { rowOf } from '../../../shared/settings/setting-keys.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { withoutKey } from './setting-catalog.ts';
import { useSetting } from './use-setting.ts';

type Problem = SettingsState['problems'][number];

function nextStep(key: string): string {
  if (key === '') return 'The defaults stand in until the file is mended.';
  return rowOf(key) === undefined
    ? 'It is not used. Remove it from the file.'
    : 'The default stands in. Set it below, or return it to the default.';
}

function ProblemRow({ problem }: { readonly problem: Problem }) {
  const { key, line } = problem;
  const writer = useSetting(key, null);
  const isSetting = rowOf(key) !== undefined;
  return (
    <li className="settings-problem" data-testid={`settings-problem-${key}`}>
      <div>
        <p>
          {line !== null && <span className="settings-problem-line data">line {line}</span>}
          {key !== '' && <strong className="data">{key}</strong>} {withoutKey(key, problem.message)}
        </p>
        <p className="dim">{nextStep(key)}</p>
        {writer.problem !== undefined && <p className="setting-bad">{writer.problem}</p>}
      </div>
      {isSetting && (
        <Button disabledReason={writer.isSaving ? 'it is being saved' : undefined} onClick={writer.reset}>
          Use the default
        </Button>
      )}
    </li>
  );
}

export function SettingsProblems({ problems }: { readonly problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  const count = `${formatCount(problems.length)} ${problems.length === 1 ? 'thing' : 'things'}`;
  return (
    <section className="settings-problems" aria-label="Problems of the file" data-testid="settings-problems">
      <h2>
        <TriangleAlert aria-hidden="true" />
        {count} in the settings file cannot be used
      </h2>
      <ul>
        {problems.map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two problems may have one key, and the list is replaced whole.
          <ProblemRow key={`${problem.key}.${index}`} problem={problem} />
        ))}
      </ul>
    </section>
  );
}
