/** Injects messages that were tampered with, on the real path, so that anyone can see what each looks like. */
import type { Tampering } from '../../../shared/contract/developer-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
import { showMessage } from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';

interface TamperingWords {
  /** After "Inject a tampered message:". */
  readonly what: string;
  /** What shows it, after "look for". */
  readonly sign: string;
}

const words: Readonly<Record<Tampering, TamperingWords>> = {
  ciphertext: {
    what: 'changed ciphertext',
    sign: 'a refused row with a broken link; its Chain tab shows that the payload is another one',
  },
  metadata: {
    what: 'changed metadata',
    sign: 'a refused row; its Encryption tab marks the attribute that was changed',
  },
  signature: { what: 'forged signature', sign: 'a refused row with a red cross in place of the pen' },
  plain: { what: 'sent plain', sign: 'a refused row with an open lock' },
  unsigned: { what: 'unsigned', sign: 'a refused row with a struck pen' },
  replay: { what: 'replayed', sign: 'a refused row whose link is broken: its place in the chain is taken' },
  'wrong-sender': { what: 'under another’s name', sign: 'a refused row whose Signature tab says whose key it is' },
  'no-envelope': { what: 'no envelope at all', sign: 'a refused row without lock, pen and link' },
};

/** What a developer command leaves in the workspace, for its title. */
export const grantWords = 'grants peer developer for 10 min';

export type TamperNeeds = Pick<Workbench, 'client' | 'mirror' | 'view' | 'notify'>;

/** Shows the refused message of a session, or, while none has come or the policy takes it, the messages of the session. */
function showRefused({ mirror, view }: Pick<TamperNeeds, 'mirror' | 'view'>, session: string): void {
  const refused = mirror.getState()['streams.quarantine']?.recent;
  const found = refused?.find(({ subject }) => subject.split('.').includes(session));
  if (found !== undefined) showMessage(view, found.seq);
  else view.setState({ view: 'streams', selectedSession: session, streamsMode: 'messages' });
}

/** One action a kind of tampering, in the order of the table. `whyNot`: why nothing can be published now. */
export function createTamperActions(needs: TamperNeeds, whyNot: () => string | undefined): readonly Action[] {
  const { client, notify } = needs;
  return (Object.keys(words) as Tampering[]).map((tampering) => {
    const { what, sign } = words[tampering];
    return {
      id: `developer.tamper.${tampering}`,
      title: `Inject a tampered message: ${what} (${grantWords})`,
      group: 'Developer',
      disabledReason: whyNot,
      run: async () => {
        const { session } = await client.developer.tamper({ tampering });
        notify(`Injected into session ${session} (${what}): look for ${sign}.`, {
          ...{ label: 'Show it', whyNot: null },
          run: () => showRefused(needs, session),
        });
      },
    };
  });
}
