import { expect, it } from 'vitest';
import { fixedRows } from '../../../shared/settings/setting-keys.ts';
import { createViewStore } from '../../state/view-store.ts';
import { createJumpActions } from './jump-actions.ts';

const keys = [...fixedRows.map(({ key }) => key), 'contexts.prod.url'];

it('the palette leads to every setting by name and key, and to the parts of the page', () => {
  const view = createViewStore({ getItem: () => null, setItem: () => {} });
  const actions = createJumpActions(view, keys);
  const ids = actions.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const key of keys.filter((one) => one !== 'currentContext' && !one.startsWith('contexts.'))) {
    const action = actions.find(({ id }) => id === `settings.go.${key}`);
    expect(action?.title, key).toContain(key);
    expect(action?.isOneOfMany).toBe(true);
  }
  expect(ids).toContain('settings.go.workspaceSecrets');
  expect(ids).not.toContain('settings.go.contexts.prod.url');
  void actions.find(({ id }) => id === 'settings.go.look.theme')?.run();
  expect(view.getState()).toMatchObject({ view: 'settings', wanted: { kind: 'setting', key: 'look.theme' } });
});
