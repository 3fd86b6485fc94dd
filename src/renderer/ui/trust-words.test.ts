import { describe, expect, it } from 'vitest';
import { chainMarks, packMarks, sealMarks, signatureMarks } from '../../shared/protocol/trust-marks.ts';
import { chainWords, isRefusedRow, sealWords, signatureWords } from './trust-words.ts';

describe('words of trust', () => {
  it('E9 a seal is in its own colour only when it opens, and a failure is the only bad one', () => {
    const ofTone = (tone: string) => sealMarks.filter((mark) => sealWords[mark].tone === tone);
    expect([ofTone('sealed'), ofTone('bad'), ofTone('wait')]).toEqual([['opens'], ['fails'], ['plain']]);
  });

  it('E13 only a signature that was checked and holds is ok', () => {
    const ofTone = (tone: string) => signatureMarks.filter((mark) => signatureWords[mark].tone === tone);
    expect([ofTone('ok'), ofTone('bad'), ofTone('wait')]).toEqual([['valid'], ['invalid'], ['unsigned', 'unchecked']]);
  });

  it('E11 only a link that was checked is ok, and every broken one is bad', () => {
    const ofTone = (tone: string) => chainMarks.filter((mark) => chainWords[mark].tone === tone);
    expect([ofTone('ok'), ofTone('bad'), ofTone('wait')]).toEqual([
      ['ok'],
      ['fork', 'reordered', 'forged-payload', 'forged-link'],
      ['gap', 'foreign-source'],
    ]);
  });

  it('no two marks of a badge read the same', () => {
    for (const words of [sealWords, signatureWords, chainWords]) {
      const texts = Object.values(words).map(({ text }) => text);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  it('E8 a row is refused by its own bit, whatever its marks are', () => {
    const marks = { seal: 'opens', signature: 'valid', chain: 'ok' } as const;
    expect(isRefusedRow(packMarks({ ...marks, isRefused: true }))).toBe(true);
    expect(isRefusedRow(packMarks({ ...marks, isRefused: false }))).toBe(false);
    expect(isRefusedRow(0)).toBe(false);
  });
});
