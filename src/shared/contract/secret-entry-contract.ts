/**
 * The secret-entry window's own three channels; the workbench's window has no part in them (product.md "Configuration").
 * Law: a secret crosses once, from that window to main, and the window is destroyed after.
 */

/** What the window shows. */
export interface EntryQuestion {
  readonly title: string;
  readonly hint: string;
  readonly label: string;
  readonly kind: 'passphrase' | 'new-passphrase' | 'secret';
  readonly action: string;
  readonly theme: 'light' | 'dark';
}

/** Answer to a submit: null when it was taken, else why not. */
export type EntryRefusal = string | null;

/** The object in that window's page; exactly these members. */
export interface EntryBridge {
  describe(): Promise<EntryQuestion>;
  submit(text: string): Promise<EntryRefusal>;
  cancel(): void;
}

/** Names of the channels. */
export const entryChannels = {
  describe: 'secret-entry:describe',
  submit: 'secret-entry:submit',
  cancel: 'secret-entry:cancel',
} as const;

/** Longest secret that can be typed, in characters. */
export const maxEntryLength = 64 * 1024;
