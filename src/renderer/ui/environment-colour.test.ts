import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contextColours } from '../../shared/settings/setting-keys.ts';
import { environmentColour } from './environment-colour.ts';

describe('colour of an environment', () => {
  it('is the context’s, and the embedded bus keeps its own', () => {
    expect(environmentColour({ kind: 'remote', colour: 'red' })).toBe('var(--env-red)');
    expect(environmentColour({ kind: 'managed', colour: 'violet' })).toBe('var(--env-violet)');
    expect(environmentColour({ kind: 'embedded', colour: 'red' })).toBe('var(--env-embedded)');
  });

  it('puts nothing of a settings file into a style', () => {
    expect(environmentColour({ kind: 'remote', colour: 'red);x:url(http://a' })).toBe('var(--env-grey)');
  });

  it('has a token in both themes for every colour that a context may have', () => {
    const tokens = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
    for (const colour of [...contextColours, 'embedded']) {
      expect(tokens.match(new RegExp(`--env-${colour}: #`, 'g')), colour).toHaveLength(2);
    }
  });
});
