/** What a key does in the table of connections. Pure. */

export type ConnectionCommand =
  | { readonly kind: 'focus'; readonly index: number }
  | { readonly kind: 'use' | 'test' | 'edit' | 'remove' };

export interface ConnectionPlace {
  readonly index: number;
  readonly count: number;
}

/** Undefined: the key is none of the table's. */
export function commandOfKey(key: string, { index, count }: ConnectionPlace): ConnectionCommand | undefined {
  const focus = (wanted: number): ConnectionCommand => ({
    kind: 'focus',
    index: Math.max(0, Math.min(count - 1, wanted)),
  });
  const commands = new Map<string, ConnectionCommand>([
    ['j', focus(index + 1)],
    ['ArrowDown', focus(index + 1)],
    ['k', focus(index - 1)],
    ['ArrowUp', focus(index - 1)],
    ['Home', focus(0)],
    ['End', focus(count - 1)],
    ['Enter', { kind: 'edit' }],
    ['u', { kind: 'use' }],
    ['t', { kind: 'test' }],
    ['Delete', { kind: 'remove' }],
    ['Backspace', { kind: 'remove' }],
  ]);
  return commands.get(key);
}
