import { describe, expect, it } from 'vitest';
import { connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import type { AppStatus } from '../../../shared/contract/app-status-contract.ts';
import type { ConnectionContext } from '../../../shared/contract/connections-contract.ts';
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { type PosturePart, type PostureSources, postureLine, postureOf, programWarning } from './posture.ts';

const app = {
  ...{ electron: '45.5.0', shippedElectron: '45.5.0', chromium: '150', node: '24', isSandboxed: true },
  hardening: { wrongFuses: [], isArchiveChecked: false },
} as unknown as AppStatus;
const keyStore = {
  ...{ kind: 'unlocked', keychain: { name: 'gnome_libsecret', isReal: true }, slots: ['keychain'] },
} as unknown as KeyStoreState;
const at = (more: Partial<PostureSources> = {}): PostureSources => ({
  ...{ app, keyStore, connections: connectionsState(), natsUrl: null, ...more },
});
const part = (id: PosturePart['id'], more: Partial<PostureSources> = {}): PosturePart =>
  postureOf(at(more)).find((one) => one.id === id) as PosturePart;
const on = (context: Partial<ConnectionContext>, more: Parameters<typeof connectionsState>[0] = {}) => ({
  connections: connectionsState({ contexts: [{ ...prod, ...context }], ...more }),
});

describe('posture', () => {
  it('I3 all is well is one calm line, and no part gives advice', () => {
    const posture = postureOf(at());
    expect(posture.map(({ tone, advice }) => [tone, advice])).toEqual(posture.map(() => ['ok', null]));
    expect(postureLine(posture)).toMatch(/^Protected: /);
  });

  it('I3 without a real keychain a passphrase stands in, and it is said what helps', () => {
    const basic = { ...keyStore, keychain: { name: 'basic_text', isReal: false }, slots: ['passphrase'] } as const;
    const found = part('keychain', { keyStore: basic });
    expect([found.tone, found.words]).toEqual(['weak', expect.stringContaining('no real keychain (basic_text)')]);
    expect(found.advice).toContain('keychain service');
    expect(part('keychain', { keyStore: { ...keyStore, slots: ['passphrase'] } })).toMatchObject({ tone: 'ok' });
  });

  it('a start without the sandbox, and another runtime than the released one, are weak', () => {
    expect(part('sandbox', { app: { ...app, isSandboxed: false } })).toMatchObject({ tone: 'weak' });
    const found = part('runtime', { app: { ...app, electron: '33.2.1' } });
    expect([found.tone, found.words]).toEqual(['weak', expect.stringContaining('released with Electron 45.5.0')]);
  });

  it('a program whose fuses are not those of a release is weak; of a development start nothing is said', () => {
    const of = (hardening: AppStatus['hardening']) => part('program', { app: { ...app, hardening } });
    expect(of({ wrongFuses: ['RunAsNode'], isArchiveChecked: true })).toMatchObject({
      ...{ tone: 'weak', words: expect.stringContaining('RunAsNode'), advice: expect.stringContaining('release') },
    });
    expect(of({ wrongFuses: null, isArchiveChecked: false })).toMatchObject({ tone: 'weak' });
    expect(of(null)).toMatchObject({ tone: 'unknown', advice: null });
    expect(programWarning({ wrongFuses: ['RunAsNode'], isArchiveChecked: true })).toMatch(
      /open to others: .*RunAsNode\. Other/,
    );
    expect([programWarning(null), programWarning({ wrongFuses: [], isArchiveChecked: false })]).toEqual([
      undefined,
      undefined,
    ]);
    expect(of({ wrongFuses: [], isArchiveChecked: true }).words).toContain('is checked');
  });

  it('B6 the embedded engine is durable unless its store does not open, or nothing can be stored', () => {
    const embedded = { kind: 'embedded', url: null } as const;
    expect(part('engine', on(embedded))).toMatchObject({ tone: 'ok', words: expect.stringContaining('written') });
    const problem = { code: 'corrupt', message: 'the journal is damaged', retryable: false } as const;
    expect(part('engine', on(embedded, { problem }))).toMatchObject({ tone: 'weak', advice: 'the journal is damaged' });
    const missing = [{ feature: 'storing', needs: 'the disk is full' }];
    expect(part('engine', on(embedded, { missing })).words).toContain('the disk is full');
    expect(part('server', on(embedded))).toMatchObject({ tone: 'ok' });
  });

  it('B9 a server without JetStream is weak; one that has not answered is not judged', () => {
    const missing = [{ feature: 'streams', needs: 'JetStream enabled on the server' }];
    expect(part('server', on({}, { missing }))).toMatchObject({ tone: 'weak' });
    expect(part('server', on({}, { server: null }))).toMatchObject({ tone: 'unknown', advice: null });
    expect(part('server').words).toBe('n1 2.9.10, JetStream on');
  });

  it.each([
    ['tls://a:4222', 'ok'],
    ['tls://a:4222,nats://b:4222', 'weak'],
    ['nats://127.0.0.1:4222', 'ok'],
    ['nats://localhost', 'ok'],
    ['nats://[::1]:4222', 'ok'],
    ['nats://127.0.0.1.example:4222', 'weak'],
    ['nats://10.0.0.1:4222', 'weak'],
  ])('B9 the way to %s is %s', (url, tone) => {
    expect(part('transport', on({ url }))).toMatchObject({ tone });
    expect(part('transport', { ...on({ kind: 'embedded', url: null }), natsUrl: url })).toMatchObject({ tone });
  });

  it('B9 what never leaves the machine is as it should be', () => {
    for (const kind of ['embedded', 'managed'] as const)
      expect(part('transport', on({ kind, url: null }))).toMatchObject({ tone: 'ok' });
  });

  it('the line names what is weak, and no more', () => {
    const posture = postureOf(at({ app: { ...app, isSandboxed: false }, ...on({ url: 'nats://a' }) }));
    expect(postureLine(posture)).toBe('Protected, but weaker than it could be: sandbox and transport.');
  });
});
