import { expect, it } from 'vitest';
import { closedDetails } from './closed-details.ts';

it('says all that is known of a key store that is not open', () => {
  const text = closedDetails({
    kind: 'recovery',
    keychain: { name: 'basic_text', isReal: false },
    slots: ['keychain'],
    reason: 'the keychain was gnome_libsecret',
    notices: ['A copy was damaged.'],
    idleLockMinutes: 15,
  });
  expect(text.split('\n')).toEqual([
    'key store: recovery',
    'keychain: basic_text (not real)',
    'slots: keychain',
    'reason: the keychain was gnome_libsecret',
    'notice: A copy was damaged.',
  ]);
});
