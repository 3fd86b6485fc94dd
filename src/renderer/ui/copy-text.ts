/** Copies text whole, through a selection: the clipboard's own interface needs a permission, and pages here have none. */

/** Answers whether the text is in the clipboard now. */
export function copyText(text: string): boolean {
  const area = document.createElement('textarea');
  const focused = document.activeElement;
  area.value = text;
  area.className = 'visually-hidden';
  area.setAttribute('aria-hidden', 'true');
  // Inside an open dialog, as that takes the focus back from anything outside.
  (focused?.closest('[role=dialog], [role=alertdialog]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
