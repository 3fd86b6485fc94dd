/**
 * Sets the theme before the first paint. A classic script of its own, as the bundle is a module and runs after it;
 * `ui/theme.ts` takes over from there. Reads what `state/view-store.ts` wrote.
 */
(() => {
  let theme;
  try {
    theme = JSON.parse(localStorage.getItem('view-state-v1') ?? '{}').theme;
  } catch {
    // Unreadable: as the system is.
  }
  const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
