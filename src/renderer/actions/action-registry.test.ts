import { describe, expect, it, vi } from 'vitest';
import { type Action, createActionRegistry } from './action-registry.ts';
import { createActionRunner } from './action-runner.ts';

const action = (id: string, more: Partial<Action> = {}): Action => ({
  id,
  title: id,
  group: 'Test',
  run: () => {},
  ...more,
});

describe('action registry', () => {
  it('holds actions in order until they are disposed, and says so', () => {
    const registry = createActionRegistry();
    const onChange = vi.fn();
    registry.subscribe(onChange);
    const first = registry.register([action('a.one'), action('a.two')]);
    registry.register([action('b.one')]);
    expect(registry.all().map(({ id }) => id)).toEqual(['a.one', 'a.two', 'b.one']);
    first.dispose();
    expect(registry.all().map(({ id }) => id)).toEqual(['b.one']);
    expect(onChange).toHaveBeenCalledTimes(3);
  });

  it('gives the same list until something changes', () => {
    const registry = createActionRegistry();
    registry.register([action('a.one')]);
    expect(registry.all()).toBe(registry.all());
  });

  it('refuses an id twice and then keeps none of that registration', () => {
    const registry = createActionRegistry();
    registry.register([action('a.one')]);
    expect(() => registry.register([action('a.two'), action('a.one')])).toThrow('a.one is registered twice');
    expect(() => registry.register([action('c.one'), action('c.one')])).toThrow('c.one is registered twice');
    expect(registry.all().map(({ id }) => id)).toEqual(['a.one']);
  });

  it('a registration disposed twice does not take a later one of the same id', () => {
    const registry = createActionRegistry();
    const first = registry.register([action('a.one')]);
    first.dispose();
    registry.register([action('a.one')]);
    first.dispose();
    expect(registry.all()).toHaveLength(1);
  });
});

describe('running an action', () => {
  const setUp = () => {
    const outcome = { refuse: vi.fn(), reportError: vi.fn() };
    return { ...outcome, run: createActionRunner(outcome) };
  };

  it('reports what it throws, at once or later, under its title', async () => {
    const { run, reportError } = setUp();
    const failure = new Error('no');
    await run(
      action('a.now', {
        run: () => {
          throw failure;
        },
      }),
    );
    await run(action('a.later', { run: () => Promise.reject(failure) }));
    expect(reportError.mock.calls).toEqual([
      ['a.now', failure],
      ['a.later', failure],
    ]);
  });

  it('a second press while it is under way does not run it again', async () => {
    let finish: () => void = () => {};
    let runs = 0;
    const action: Action = {
      ...{ id: 'a.slow', title: 'Slow', group: 'A' },
      run() {
        runs++;
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    };
    const run = createActionRunner({ refuse: () => {}, reportError: () => {} });
    const first = run(action);
    await run(action);
    expect(runs).toBe(1);
    finish();
    await first;
    void run(action);
    expect(runs).toBe(2);
  });

  it('says why a disabled action does nothing', async () => {
    const { run, refuse } = setUp();
    const body = vi.fn();
    await run(action('a.off', { title: 'Stop it…', disabledReason: () => 'it does not run', run: body }));
    expect(body).not.toHaveBeenCalled();
    expect(refuse).toHaveBeenCalledWith('Stop it: it does not run');
  });
});
