import { describe, expect, test } from 'vitest';
import { cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { PinnedPeer } from './pins.ts';
import { checkRecipient } from './recipient-check.ts';

const sound: PinnedPeer = { card: cardWith(), offered: null, firstSeenMs: 1, verifiedMs: null, blockedMs: null };
const changed = { ...sound, offered: { card: cardWith({ serial: 2 }, signerOf(2)), seenMs: 0 } };
const blocked = { ...sound, blockedMs: 0 };

function refusal(subject: string, pin: PinnedPeer | undefined): string | undefined {
  try {
    checkRecipient(subject, { find: ({ ws, peer }) => (ws === 'acme' && peer === 'ada' ? pin : undefined) });
    return undefined;
  } catch (error) {
    if (isVakError(error, 'forbidden')) return error.message;
    throw error;
  }
}

describe('I2 sending', () => {
  test.each(['vak.agent.acme.ada.inbox', 'vak.keys.acme.ada.package', 'vak.control.acme.ada.run'])(
    'I2 %s is refused to a peer whose key changed or that is blocked, with the true cause',
    (subject) => {
      expect(refusal(subject, changed)).toContain('another signing key came at 1970-01-01T00:00:00.000Z');
      expect(refusal(subject, blocked)).toContain('you blocked it');
      expect(refusal(subject, sound)).toBeUndefined();
      expect(refusal(subject, undefined)).toBeUndefined();
    },
  );

  test.each(['vak.agent.acme.bob.inbox', 'vak.work.acme.ada.task', 'vak.audit.acme.ada.action', 'no subject'])(
    'I2 %s addresses no blocked peer',
    (subject) => {
      expect(refusal(subject, blocked)).toBeUndefined();
    },
  );
});
