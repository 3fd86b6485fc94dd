/** Applies the theme choice to the page: `data-theme` on <html>, followed by the tokens. */
import type { StoreApi } from 'zustand/vanilla';
import type { ViewState } from '../state/view-store.ts';

/** Sets it at once and keeps it current while the window lives. */
export function followTheme(view: StoreApi<ViewState>, page: Window): void {
  const prefersDark = page.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const { theme } = view.getState();
    page.document.documentElement.dataset['theme'] =
      theme === 'system' ? (prefersDark.matches ? 'dark' : 'light') : theme;
  };
  apply();
  view.subscribe((state, before) => state.theme !== before.theme && apply());
  prefersDark.addEventListener('change', apply);
}
