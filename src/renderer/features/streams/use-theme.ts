/** Rises when the page's colours change, for what draws with colours instead of CSS: terminal and charts. */
import { useSyncExternalStore } from 'react';

let version = 0;

function subscribe(onChange: () => void): () => void {
  const changed = (): void => {
    version++;
    onChange();
  };
  const system = window.matchMedia('(prefers-color-scheme: light)');
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] });
  system.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', changed);
  };
}

/** The version of the colours. */
export function useThemeVersion(): number {
  return useSyncExternalStore(subscribe, () => version);
}

/** Reads a token where the element stands. */
export function readToken(element: Element, name: string): string {
  return getComputedStyle(element).getPropertyValue(name).trim();
}
