/** Tells which colours the page has, for what draws with colours instead of CSS: terminal and charts. */
import { useSyncExternalStore } from 'react';

function subscribe(onChange: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: light)');
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] });
  system.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', onChange);
  };
}

/** What the colours depend on: two equal values mean equal colours. */
function themeNow(): string {
  const { dataset, className } = document.documentElement;
  const isLight = window.matchMedia('(prefers-color-scheme: light)').matches;
  return [dataset['theme'], className, isLight].join(' ');
}

/** Changes when the colours do. */
export function useThemeVersion(): string {
  return useSyncExternalStore(subscribe, themeNow);
}

/** Reads a token where the element stands. */
export function readToken(element: Element, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim();
}
