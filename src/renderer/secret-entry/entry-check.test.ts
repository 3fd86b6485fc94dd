import { describe, expect, it } from 'vitest';
import { checkEntry, minPassphraseLength, strengthRemark } from './entry-check.ts';

const good = 'copper lantern drifts north';

describe('a new passphrase', () => {
  it('must have ten characters, counted as main counts them', () => {
    expect(checkEntry('new-passphrase', '123456789', '123456789').lacks).toContain(String(minPassphraseLength));
    expect(checkEntry('new-passphrase', '🔑'.repeat(9), '🔑'.repeat(9)).lacks).toBeDefined();
    expect(checkEntry('new-passphrase', '🔑'.repeat(10), '🔑'.repeat(10)).lacks).toBeUndefined();
    // The ligature counts as two.
    expect(checkEntry('new-passphrase', 'ﬀ'.repeat(5), 'ﬀ'.repeat(5)).lacks).toBeUndefined();
  });

  it('says how many are missing', () => {
    expect(checkEntry('new-passphrase', '', '').remark).toBe('At least 10 characters.');
    expect(checkEntry('new-passphrase', 'abcdefg', '').remark).toBe('3 more to go.');
  });

  it('must be typed twice alike; a beginning is not yet a mistake', () => {
    expect(checkEntry('new-passphrase', 'short', 'x')).toMatchObject({ lacksIn: 'first', isMismatch: false });
    expect(checkEntry('new-passphrase', good, '')).toMatchObject({
      lacks: expect.any(String),
      lacksIn: 'second',
      isMismatch: false,
    });
    expect(checkEntry('new-passphrase', good, 'copper l')).toMatchObject({
      lacks: expect.any(String),
      isMismatch: false,
    });
    expect(checkEntry('new-passphrase', good, 'copper x')).toMatchObject({ isMismatch: true });
    expect(checkEntry('new-passphrase', good, `${good} `)).toMatchObject({ isMismatch: true });
    expect(checkEntry('new-passphrase', good, good)).toMatchObject({ lacks: undefined, isMismatch: false });
  });

  it.each([
    ['aaaaaaaaaaaa', /few characters/],
    ['my-Password-99', /tried first/],
    ['90817263549180', /digits/],
    ['tr0ub4dor&3xy', /unrelated words/],
    [good, /^Hard/],
    ['kQ9$vz2LmT8#pXw4RbY6', /^Hard/],
  ])('says of %s what to think of it', (text, expected) => {
    expect(strengthRemark(text)).toMatch(expected);
  });
});

describe('what is only given', () => {
  it.each([
    ['passphrase', '', true],
    ['passphrase', 'x', false],
    ['secret', ' \n ', true],
    ['secret', 'line\nline', false],
  ] as const)('as %s, %j lacks something: %s', (kind, text, expected) => {
    expect(checkEntry(kind, text, '').lacks !== undefined).toBe(expected);
  });
});

it('no remark holds what was typed', () => {
  for (const text of ['hunter22hunter', 'correct horse battery staple']) {
    const { remark, lacks } = checkEntry('new-passphrase', text, `${text.slice(0, -1)}!`);
    expect(`${remark} ${lacks}`).not.toContain(text.slice(0, 6));
  }
});
