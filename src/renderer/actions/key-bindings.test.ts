import { describe, expect, it } from 'vitest';
import { ariaKeys, isApplePlatform, type KeyPress, keyLabel, matchesBinding, mayStartAction } from './key-bindings.ts';

function press(key: string, held: Partial<KeyPress> = {}): KeyPress {
  return { key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held };
}

describe('matching', () => {
  it('Mod is Command on macOS and Control elsewhere, never the other one', () => {
    const command = press('k', { metaKey: true });
    const control = press('k', { ctrlKey: true });
    expect(matchesBinding('Mod+K', command, true)).toBe(true);
    expect(matchesBinding('Mod+K', control, true)).toBe(false);
    expect(matchesBinding('Mod+K', control, false)).toBe(true);
    expect(matchesBinding('Mod+K', command, false)).toBe(false);
    expect(matchesBinding('Mod+K', press('k', { ctrlKey: true, metaKey: true }), false)).toBe(false);
  });

  it('a letter with and without Shift are two bindings, whatever Caps Lock does', () => {
    expect(matchesBinding('j', press('j'), false)).toBe(true);
    expect(matchesBinding('j', press('J'), false)).toBe(true);
    expect(matchesBinding('j', press('J', { shiftKey: true }), false)).toBe(false);
    expect(matchesBinding('Shift+J', press('J', { shiftKey: true }), false)).toBe(true);
    expect(matchesBinding('j', press('j', { altKey: true }), false)).toBe(false);
  });

  it('a character that needs Shift on the layout still matches', () => {
    expect(matchesBinding('?', press('?', { shiftKey: true }), false)).toBe(true);
    expect(matchesBinding('/', press('/'), false)).toBe(true);
    expect(matchesBinding('/', press('/', { shiftKey: true }), false)).toBe(true);
    expect(matchesBinding('+', press('+', { shiftKey: true }), false)).toBe(true);
    expect(matchesBinding('Mod++', press('+', { ctrlKey: true, shiftKey: true }), false)).toBe(true);
  });

  it('named keys need their exact modifiers', () => {
    expect(matchesBinding('Shift+ArrowDown', press('ArrowDown', { shiftKey: true }), false)).toBe(true);
    expect(matchesBinding('Shift+ArrowDown', press('ArrowDown'), false)).toBe(false);
    expect(matchesBinding('ArrowDown', press('ArrowDown', { shiftKey: true }), false)).toBe(false);
    expect(matchesBinding('Space', press(' '), false)).toBe(true);
    expect(matchesBinding('Space', press(' ', { shiftKey: true }), false)).toBe(false);
  });

  it('falls back to the place of the key on layouts without that character', () => {
    expect(matchesBinding('Mod+K', press('л', { code: 'KeyK', ctrlKey: true }), false)).toBe(true);
    expect(matchesBinding('Mod+1', press('&', { code: 'Digit1', ctrlKey: true }), false)).toBe(true);
    expect(matchesBinding('1', press('&', { code: 'Digit1' }), false)).toBe(false);
    expect(matchesBinding('Mod+Q', press('a', { code: 'KeyQ', ctrlKey: true }), false)).toBe(false);
  });

  it('an unknown modifier is a bug', () => {
    expect(() => matchesBinding('Hyper+K', press('k'), false)).toThrow('unknown modifier Hyper');
  });
});

describe('where a press may start an action', () => {
  it('typing starts nothing unless Mod is held', () => {
    expect(mayStartAction('text', press('j'), false)).toBe(false);
    expect(mayStartAction('text', press('?'), false)).toBe(false);
    expect(mayStartAction('text', press('k', { ctrlKey: true }), false)).toBe(true);
    expect(mayStartAction('text', press('k', { metaKey: true }), true)).toBe(true);
    expect(mayStartAction('text', press('k', { ctrlKey: true }), true)).toBe(false);
  });

  it('editing keys stay with the text', () => {
    for (const key of ['a', 'C', 'v', 'x', 'z', 'ArrowLeft', 'Backspace']) {
      expect(mayStartAction('text', press(key, { ctrlKey: true }), false)).toBe(false);
    }
  });

  it('a control keeps Enter and Space, a dialog keeps everything', () => {
    expect(mayStartAction('control', press('Enter'), false)).toBe(false);
    expect(mayStartAction('control', press(' '), false)).toBe(false);
    expect(mayStartAction('control', press('j'), false)).toBe(true);
    expect(mayStartAction('dialog', press('k', { ctrlKey: true }), false)).toBe(false);
    expect(mayStartAction('page', press('Enter'), false)).toBe(true);
  });
});

describe('printing', () => {
  it.each([
    ['Mod+K', '⌘K', 'Ctrl+K'],
    ['Mod+Shift+p', '⇧⌘P', 'Ctrl+Shift+P'],
    ['Shift+ArrowDown', '⇧↓', 'Shift+↓'],
    ['j', 'j', 'j'],
    ['?', '?', '?'],
    ['Mod+1', '⌘1', 'Ctrl+1'],
    ['Space', 'Space', 'Space'],
    ['Escape', 'Esc', 'Esc'],
  ])('%s is %s on macOS and %s elsewhere', (binding, apple, other) => {
    expect(keyLabel(binding, true)).toBe(apple);
    expect(keyLabel(binding, false)).toBe(other);
  });

  it('names keys for screen readers by their real names', () => {
    expect(ariaKeys('Mod+K', true)).toBe('Meta+K');
    expect(ariaKeys('Mod+K', false)).toBe('Control+K');
    expect(ariaKeys('Shift+ArrowDown', false)).toBe('Shift+ArrowDown');
  });

  it('knows macOS by its user agent', () => {
    expect(isApplePlatform('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Electron/45')).toBe(true);
    expect(isApplePlatform('Mozilla/5.0 (X11; Linux x86_64) Electron/45')).toBe(false);
  });
});
