import { describe, expect, it } from 'vitest';
import { checkNode } from './set-up.mjs';

describe('checkNode', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.18.1'])('takes Node %s', (version) => {
    expect(() => checkNode(version)).not.toThrow();
  });

  it.each(['20.18.9', '18.20.0', '16.0.0'])('refuses Node %s and says which is needed', (version) => {
    expect(() => checkNode(version)).toThrow(`this is Node ${version}, and the app needs Node 20.19 or newer`);
  });
});
