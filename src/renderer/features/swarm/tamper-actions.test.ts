import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { tamperings } from '../../../shared/contract/developer-contract.ts';
import type { QuarantineState } from '../../../shared/contract/streams-contract.ts';
import type { Mirror } from '../../state/mirror-store.ts';
import { createViewStore } from '../../state/view-store.ts';
import type { Workbench } from '../../workbench.tsx';
import { createTamperActions } from './tamper-actions.ts';

function setUp() {
  const tamper = vi.fn(async () => ({ session: 'tampered-1' }));
  const notify = vi.fn();
  const client = { developer: { tamper } } as unknown as Workbench['client'];
  const mirror = createStore<Mirror>(() => ({}));
  const view = createViewStore({ getItem: () => null, setItem: () => {} });
  return {
    actions: createTamperActions({ client, mirror, view, notify }, () => undefined),
    tamper,
    notify,
    mirror,
    view,
  };
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
      expect(notify).toHaveBeenCalledWith(
        expect.stringMatching(/session tampered-1 .*: look for a refused row/),
        expect.objectContaining({ label: 'Show it' }),
      );
    },
  );

  it('says in its title what it leaves behind', () => {
    for (const { title } of setUp().actions) expect(title).toContain('grants peer developer for 10 min');
  });

  it('leads to the newest refused message of the session, else to the session', async () => {
    const { actions, notify, mirror, view } = setUp();
    await actions[0]?.run();
    const offer: unknown = notify.mock.calls[0]?.[1];
    const { run } = offer as { run: () => void };
    run();
    expect(view.getState()).toMatchObject({ view: 'streams', selectedSession: 'tampered-1', wanted: null });
    const recent = [
      { seq: 9, subject: 'vak.events.acme.other.status' },
      { seq: 8, subject: 'vak.events.acme.tampered-1.status' },
      { seq: 7, subject: 'vak.events.acme.tampered-1.status' },
    ];
    mirror.setState({ 'streams.quarantine': { recent } as unknown as QuarantineState });
    run();
    expect(view.getState()).toMatchObject({ selectedSession: null, wanted: { kind: 'message', seq: 8 } });
  });
});
