/** What the encryption policy comes to, as it is set, and what it has refused. Pure. */
import type { QuarantineState } from '../../../shared/contract/streams-contract.ts';
import { formatCount } from '../../ui/format.ts';

interface Consequence {
  readonly reason: 'plain' | 'unsigned';
  readonly off: string;
  readonly on: string;
}

const consequences: Readonly<Record<string, Consequence>> = {
  'policy.acceptPlain': {
    reason: 'plain',
    off: 'What comes unsealed is set aside and no handler sees it',
    on: 'What comes unsealed is shown and handled: anybody on the way, and whoever runs the server, can read and replace it',
  },
  'policy.acceptUnsigned': {
    reason: 'unsigned',
    off: 'What comes unsigned is set aside and no handler sees it',
    on: 'What comes unsigned is shown and handled: whoever may publish on the server can speak in any peer’s name',
  },
};

/** Undefined for what is no rule of the policy, or while nothing is known. */
export function policyWords(
  key: string,
  isOn: boolean,
  quarantine: Pick<QuarantineState, 'countByReason'> | undefined,
): string | undefined {
  const consequence = consequences[key];
  if (consequence === undefined) return undefined;
  const count = quarantine?.countByReason[consequence.reason] ?? 0;
  const refused = `${formatCount(count)} ${count === 1 ? 'message was' : 'messages were'} refused for it since the start`;
  return isOn ? `${consequence.on}. Before, ${refused}.` : `${consequence.off}: ${refused}.`;
}
