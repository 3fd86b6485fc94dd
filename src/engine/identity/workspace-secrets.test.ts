import { describe, expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import type { KeyStoreContents } from './key-store.ts';
import { createSecret, secretFromText } from './secret.ts';
import { addWorkspaceSecret, createWorkspaceSecret, setSecretState } from './workspace-secrets.ts';

const randomness = createSeededRandomness(3);
const contents: KeyStoreContents = {
  identities: [],
  workspaces: ['local', 'other'].map((workspace) => ({
    ...{ workspace, rootPublic: 'U', rootSeed: null },
    secrets: [createWorkspaceSecret('s1', randomness)],
  })),
  credentials: new Map(),
  roomKeys: new Map(),
};

const secretsOf = (from: KeyStoreContents, at = 0) => from.workspaces[at]?.secrets ?? [];

const codeOf = (run: () => unknown): string => refusal(run).code;

describe('E7 secrets of a workspace', () => {
  test('E7 a new one is random, active, behind the others, under the next free id; other workspaces stay', () => {
    const added = addWorkspaceSecret(contents, { workspace: 'local', randomness });
    expect(added.id).toBe('s2');
    expect(secretsOf(added.contents).map(({ id, state }) => [id, state])).toEqual([
      ['s1', 'active'],
      ['s2', 'active'],
    ]);
    expect(secretsOf(added.contents)[1]?.secret.length).toBe(32);
    expect(secretsOf(added.contents)[1]?.secret.reveal()).not.toEqual(secretsOf(contents)[0]?.secret.reveal());
    expect(added.contents.workspaces[1]).toBe(contents.workspaces[1]);
    expect(secretsOf(contents)).toHaveLength(1);
  });

  test('E7 one id selects one secret: a used id is refused, a free one is found', () => {
    const taken = addWorkspaceSecret(contents, { workspace: 'local', randomness, id: 's3' });
    expect(codeOf(() => addWorkspaceSecret(taken.contents, { workspace: 'local', randomness, id: 's3' }))).toBe(
      'exists',
    );
    const revoked = setSecretState(taken.contents, { workspace: 'local', id: 's3', state: 'revoked' });
    expect(codeOf(() => addWorkspaceSecret(revoked, { workspace: 'local', randomness, id: 's3' }))).toBe('exists');
    expect(addWorkspaceSecret(revoked, { workspace: 'local', randomness }).id).toBe('s4');
  });

  test('E7 one from elsewhere is taken as it is', () => {
    const given = secretFromText('super-secret-workspace-key-2026');
    const added = addWorkspaceSecret(contents, { workspace: 'local', randomness, id: 'shared', given });
    expect(secretsOf(added.contents)[1]?.secret).toBe(given);
  });

  test.each([
    ['an id with a dot', { id: 's.2' }, 'invalid-input'],
    ['an empty id', { id: '' }, 'invalid-input'],
    ['15 bytes', { given: createSecret(new Uint8Array(15)) }, 'invalid-input'],
    ['more than 1 KiB', { given: createSecret(new Uint8Array(1025)) }, 'invalid-input'],
    ['an unknown workspace', { workspace: 'x' }, 'not-found'],
  ])('S1 E7 %s is refused', (_, change, code) => {
    expect(codeOf(() => addWorkspaceSecret(contents, { workspace: 'local', randomness, ...change }))).toBe(code);
  });

  test('E7 states change and keep the bytes; only open-only has an end', () => {
    const change = (more: object) =>
      setSecretState(contents, { workspace: 'local', id: 's1', state: 'revoked', ...more });
    expect(secretsOf(change({}))[0]).toMatchObject({ state: 'revoked', openOnlyUntilMs: null });
    const until = change({ state: 'open-only', openOnlyUntilMs: 5 });
    expect(secretsOf(until)[0]).toMatchObject({ state: 'open-only', openOnlyUntilMs: 5 });
    expect(secretsOf(until)[0]?.secret).toBe(secretsOf(contents)[0]?.secret);
    expect(secretsOf(setSecretState(until, { workspace: 'local', id: 's1', state: 'active' }))[0]).toMatchObject({
      ...{ state: 'active', openOnlyUntilMs: null },
    });
    expect(codeOf(() => change({ openOnlyUntilMs: 5 }))).toBe('invalid-input');
    expect(codeOf(() => change({ state: 'open-only', openOnlyUntilMs: 0.5 }))).toBe('invalid-input');
    expect(codeOf(() => change({ id: 's9' }))).toBe('not-found');
    expect(codeOf(() => change({ workspace: 'x' }))).toBe('not-found');
  });
});
