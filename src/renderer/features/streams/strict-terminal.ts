/**
 * Opens an xterm.js 6.0 terminal under `style-src 'self'`, with nothing inline (docs/security).
 * xterm puts its theme into <style> elements, which it makes while it opens, and true colours into style attributes, which it
 * sets while it draws; the policy refuses both. Here it does the same through the CSSOM, which the policy allows.
 */
import type { Terminal } from '@xterm/xterm';

/** The part of xterm's renderer that sets style attributes; it has no public name. */
interface RowFactory {
  _addStyle(element: HTMLElement, declaration: string): void;
}
interface Internals {
  readonly _core?: {
    readonly _renderService?: { readonly _renderer?: { readonly value?: { readonly _rowFactory?: RowFactory } } };
  };
}

/** Stands in for a <style>: what is written to it becomes a constructed sheet until it is removed. */
function createSheetElement(page: Document): HTMLElement {
  const element = Document.prototype.createElement.call(page, 'template');
  const sheet = new CSSStyleSheet();
  page.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, 'textContent', { set: (text: string) => sheet.replaceSync(text) });
  element.remove = () => {
    page.adoptedStyleSheets = page.adoptedStyleSheets.filter((each) => each !== sheet);
    HTMLElement.prototype.remove.call(element);
  };
  return element;
}

/** `color:#ff8800` as a property of its own. */
function addStyle(element: HTMLElement, declaration: string): void {
  const colon = declaration.indexOf(':');
  element.style.setProperty(declaration.slice(0, colon), declaration.slice(colon + 1));
}

/** Opens the terminal in the element; throws if this xterm is built differently, so that an update cannot lose colours unseen. */
export function openStrictly(terminal: Terminal, element: HTMLElement): void {
  const page = element.ownerDocument;
  const create = (name: string): HTMLElement =>
    name === 'style' ? createSheetElement(page) : Document.prototype.createElement.call(page, name);
  page.createElement = create as Document['createElement'];
  try {
    terminal.open(element);
  } finally {
    Reflect.deleteProperty(page, 'createElement');
  }
  const rowFactory = (terminal as Internals)._core?._renderService?._renderer?.value?._rowFactory;
  if (rowFactory === undefined) throw new Error('xterm: the DOM renderer has no row factory; see strict-terminal.ts');
  rowFactory._addStyle = addStyle;
}
