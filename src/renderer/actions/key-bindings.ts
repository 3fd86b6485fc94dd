/** Reads bindings such as `Mod+K`, `j`, `Shift+ArrowDown` and decides whether a key press means one (product.md "Everywhere"). */

/** What of a KeyboardEvent decides. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

interface Binding {
  readonly key: string;
  readonly mod: boolean;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** Where the key was pressed. */
export type KeyTarget = 'text' | 'control' | 'dialog' | 'page';

/** Whether Mod is ⌘ on this machine; else it is Ctrl. */
export function isApplePlatform(userAgent: string): boolean {
  return /Mac OS X|Macintosh/.test(userAgent);
}

/** Splits a binding; throws for an unknown modifier, which is a bug. */
function parseBinding(binding: string): Binding {
  // `Mod++` means the plus key itself.
  const parts =
    binding === '+' ? ['+'] : binding.endsWith('++') ? [...binding.slice(0, -2).split('+'), '+'] : binding.split('+');
  const key = parts.pop() ?? '';
  const parsed = { key: key === 'Space' ? ' ' : key, mod: false, ctrl: false, alt: false, shift: false };
  for (const part of parts) {
    if (part === 'Mod') parsed.mod = true;
    else if (part === 'Ctrl') parsed.ctrl = true;
    else if (part === 'Alt') parsed.alt = true;
    else if (part === 'Shift') parsed.shift = true;
    else throw new Error(`key binding ${binding}: unknown modifier ${part}`);
  }
  return parsed;
}

const isLetter = (key: string): boolean => /^[a-z]$/i.test(key);

/** The key's name on the press; layouts without Latin letters or plain digits fall back to the place of the key. */
function isSameKey(binding: Binding, press: KeyPress): boolean {
  if (press.key.toLowerCase() === binding.key.toLowerCase()) return true;
  if (/^\d$/.test(binding.key)) return binding.mod && press.code === `Digit${binding.key}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is exactly ASCII.
  const isForeignLetter = press.key.length === 1 && !/^[\x00-\x7f]$/.test(press.key);
  return isLetter(binding.key) && isForeignLetter && press.code === `Key${binding.key.toUpperCase()}`;
}

/** Whether a key press is this binding. Shift is ignored where it only produces the character, as in `?`. */
export function matchesBinding(text: string, press: KeyPress, isApple: boolean): boolean {
  const binding = parseBinding(text);
  const wantsMeta = binding.mod && isApple;
  const wantsCtrl = binding.ctrl || (binding.mod && !isApple);
  if (press.metaKey !== wantsMeta || press.ctrlKey !== wantsCtrl || press.altKey !== binding.alt) return false;
  const isCharacter = binding.key.length === 1 && binding.key !== ' ' && !isLetter(binding.key);
  if (!(isCharacter && !binding.shift) && press.shiftKey !== binding.shift) return false;
  return isSameKey(binding, press);
}

const editingKeys = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'backspace', 'delete', 'home', 'end', 'enter']);

/**
 * Whether a press in that place may start an action at all: none behind a dialog, none that types or edits text,
 * none that a button or link takes itself.
 */
export function mayStartAction(target: KeyTarget, press: KeyPress, isApple: boolean): boolean {
  const isMod = isApple ? press.metaKey : press.ctrlKey;
  if (target === 'dialog') return false;
  if (target === 'text') return isMod && !editingKeys.has(press.key.toLowerCase()) && !press.key.startsWith('Arrow');
  if (target === 'control') return isMod || (press.key !== 'Enter' && press.key !== ' ');
  return true;
}

const names: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
};

/** How a binding is printed: `⌘K` on macOS, `Ctrl+K` elsewhere. */
export function keyLabel(text: string, isApple: boolean): string {
  const { key, mod, ctrl, alt, shift } = parseBinding(text);
  const name = names[key] ?? (isLetter(key) && (mod || ctrl || alt || shift) ? key.toUpperCase() : key);
  const modifiers = isApple
    ? [ctrl && '⌃', alt && '⌥', shift && '⇧', mod && '⌘']
    : [(mod || ctrl) && 'Ctrl', alt && 'Alt', shift && 'Shift'];
  return [...modifiers.filter((part) => part !== false), name].join(isApple ? '' : '+');
}

/** The same for `aria-keyshortcuts`: `Meta+K`, `Control+K`. */
export function ariaKeys(text: string, isApple: boolean): string {
  const { key, mod, ctrl, alt, shift } = parseBinding(text);
  const modifiers = [
    (ctrl || (mod && !isApple)) && 'Control',
    mod && isApple && 'Meta',
    alt && 'Alt',
    shift && 'Shift',
  ];
  return [...modifiers.filter((part) => part !== false), key === ' ' ? 'Space' : key].join('+');
}
