import { describe, expect, it, vi } from 'vitest';
import { tamperings } from '../../../shared/contract/developer-contract.ts';
import type { Workbench } from '../../workbench.tsx';
import { createTamperActions } from './tamper-actions.ts';

function setUp() {
  const tamper = vi.fn(async () => ({ session: 'tampered-1' }));
  const notify = vi.fn();
  const client = { developer: { tamper } } as unknown as Workbench['client'];
  return { actions: createTamperActions({ client, notify }, () => undefined), tamper, notify };
}

describe('tampered messages', () => {
  it('each kind of tampering has an action of its own, told apart by its title', () => {
    const { actions } = setUp();
    expect(actions.map(({ id }) => id)).toEqual(tamperings.map((kind) => `developer.tamper.${kind}`));
    expect(new Set(actions.map(({ title }) => title)).size).toBe(tamperings.length);
    expect(actions.every(({ group }) => group === 'Developer')).toBe(true);
  });

  it.each(tamperings.map((kind, at) => [kind, at] as const))(
    '%s injects that kind and names the session',
    async (kind, at) => {
      const { actions, tamper, notify } = setUp();
      await actions[at]?.run();
      expect(tamper).toHaveBeenCalledExactlyOnceWith({ tampering: kind });
      expect(notify).toHaveBeenCalledWith(expect.stringMatching(/session tampered-1 .*: look for a refused row/));
    },
  );
});
