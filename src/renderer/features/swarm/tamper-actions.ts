/** Injects messages that were tampered with, on the real path, so that anyone can see what each looks like. */
import type { Tampering } from '../../../shared/contract/developer-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
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

/** One action a kind of tampering, in the order of the table. `readOnly`: why nothing can be published now. */
export function createTamperActions(
  { client, notify }: Pick<Workbench, 'client' | 'notify'>,
  readOnly: () => string | undefined,
): readonly Action[] {
  return (Object.keys(words) as Tampering[]).map((tampering) => {
    const { what, sign } = words[tampering];
    return {
      id: `developer.tamper.${tampering}`,
      title: `Inject a tampered message: ${what}`,
      group: 'Developer',
      disabledReason: readOnly,
      run: async () => {
        const { session } = await client.developer.tamper({ tampering });
        notify(`Injected into session ${session} (${what}): look for ${sign}.`);
      },
    };
  });
}
