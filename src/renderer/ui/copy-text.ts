/** Copies text whole, to the byte, by the copy command: the clipboard's own interface needs a permission, and pages here have none. */

/** Answers whether the text is in the clipboard now. */
export function copyText(text: string): boolean {
  let isTaken = false;
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isTaken = event.clipboardData !== null;
  };
  // In the capture phase, before a terminal or a text field answers the command with its own selection.
  window.addEventListener('copy', onCopy, { capture: true });
  try {
    return document.execCommand('copy') && isTaken;
  } finally {
    window.removeEventListener('copy', onCopy, { capture: true });
  }
}
