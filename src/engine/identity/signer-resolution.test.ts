import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratchFolder, grantWith, root, signerOf } from '../../../tests/support/identity-fixture.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { createEd25519Verifier } from '../crypto/ed25519.ts';
import { createPublicKeyCheck } from '../crypto/public-key-check.ts';
import type { Stored } from '../ports/directory.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { type LocalDirectory, openLocalDirectory } from './local-directory.ts';
import { openSerialFloor, type SerialFloor } from './serial-floor.ts';
import { createRecordChecks, type RecordChecks } from './signed-record.ts';
import { createSignerResolution, type SignerQuestion, type SignerResolution } from './signer-resolution.ts';

const adaKey = signerOf(1).nkey;
const bobKey = signerOf(2).nkey;

let folder: string;
let clock: FakeClock;
let disposer: Disposer;
let directory: LocalDirectory;
let floor: SerialFloor;
let resolution: SignerResolution;

let settle: () => Promise<void> = async () => {};

const options = (name: string) => ({
  path: join(folder, name),
  clock,
  randomness: createSystemRandomness(),
  report: (error: unknown) => {
    throw error;
  },
});

/** Opens all files, as a process does when it starts; the one before has written what it had to. */
async function start(directoryFile = 'directory.json', checks: RecordChecks = createRecordChecks()): Promise<void> {
  await settle();
  directory = disposer.add(await openLocalDirectory({ ...options(directoryFile), workspace: 'acme' }));
  floor = disposer.add(await openSerialFloor(options('serials.json')));
  settle = () => floor.settled();
  resolution = createSignerResolution({ ws: 'acme', rootPublic: root.nkey, directory, floor, checks });
}

beforeEach(async () => {
  disposer = createDisposer();
  folder = disposer.add(createScratchFolder()).path;
  clock = createFakeClock();
  await start();
});

afterEach(async () => {
  await settle();
  settle = async () => {};
  disposer.dispose();
  expect(clock.timerCount).toBe(0);
});

function ask(change: Partial<SignerQuestion> = {}): string {
  const question = { ws: 'acme', peer: 'ada', signer: adaKey, roles: ['human'], at: clock.now() } as const;
  const verdict = resolution.resolveSigner({ ...question, ...change });
  expect(verdict.why).toMatch(/^\S.*\.$/);
  return verdict.kind;
}

/** Stores a grant and gives the time of that; afterwards a second has passed. */
async function put(grant: Grant): Promise<number> {
  const atMs = clock.now();
  await directory.putGrant(grant);
  clock.advance(1000);
  return atMs;
}

describe('I4 resolveSigner', () => {
  test('I4 the granted key with a role that is asked is granted, and the grant comes along', async () => {
    const grant = grantWith({ roles: ['human', 'operator'] });
    await put(grant);
    expect(
      resolution.resolveSigner({
        ws: 'acme',
        peer: 'ada',
        signer: adaKey,
        roles: ['bot', 'operator'],
        at: clock.now(),
      }),
    ).toMatchObject({ kind: 'granted', grant });
  });

  test('I4 unknown: no grant, another workspace, another key, before the first grant', async () => {
    expect(ask()).toBe('unknown');
    const fromMs = await put(grantWith());
    expect(ask()).toBe('granted');
    expect(ask({ ws: 'other' })).toBe('unknown');
    expect(ask({ signer: signerOf(7).nkey })).toBe('unknown');
    expect(ask({ signer: '' })).toBe('unknown');
    expect(ask({ peer: 'eve' })).toBe('wrong-peer');
    expect(ask({ at: fromMs })).toBe('granted');
    expect(ask({ at: fromMs - 1 })).toBe('unknown');
  });

  test('I4 wrong peer: a key that another peer was granted at that time', async () => {
    await put(grantWith());
    const bobFromMs = await put(grantWith({ peer: 'bob', sign: bobKey }));
    expect(ask({ signer: bobKey })).toBe('wrong-peer');
    expect(ask({ peer: 'bob', signer: adaKey })).toBe('wrong-peer');
    expect(ask({ peer: 'nobody', signer: adaKey })).toBe('wrong-peer');
    expect(ask({ signer: bobKey, at: bobFromMs - 1 })).toBe('unknown');
  });

  test('I4 wrong role: none of those asked; none suffices where none is asked', async () => {
    await put(grantWith({ roles: ['observer', 'bot'] }));
    expect(ask()).toBe('wrong-role');
    expect(ask({ roles: ['operator', 'worker'] })).toBe('wrong-role');
    expect(ask({ roles: [] })).toBe('wrong-role');
    expect(ask({ roles: ['human', 'bot'] })).toBe('granted');
  });

  test('I4 W6 a worker counts for its queues; without a queue for any; other roles do not look at queues', async () => {
    await put(grantWith({ roles: ['worker', 'observer'], queues: ['builds', 'tests'] }));
    expect(ask({ roles: ['worker'], queue: 'tests' })).toBe('granted');
    expect(ask({ roles: ['worker'], queue: 'deploys' })).toBe('wrong-role');
    expect(ask({ roles: ['worker'] })).toBe('granted');
    expect(ask({ roles: ['worker', 'observer'], queue: 'deploys' })).toBe('granted');
  });

  test('I4 expired: judged at the time that is asked, to the second', async () => {
    const notAfter = Math.floor(clock.now() / 1000) + 60;
    await put(grantWith({ notAfter }));
    expect(ask({ at: notAfter * 1000 + 999 })).toBe('granted');
    expect(ask({ at: (notAfter + 1) * 1000 })).toBe('expired');
    clock.advance(3_600_000);
    expect(ask()).toBe('expired');
    expect(ask({ at: notAfter * 1000 })).toBe('granted');
  });

  test('I4 revoked: now it is the wrong role, what was stored before still counts', async () => {
    const grantedMs = await put(grantWith());
    const revokedMs = await put(grantWith({ serial: 2, roles: [] }));
    expect(ask()).toBe('wrong-role');
    expect(ask({ at: revokedMs })).toBe('wrong-role');
    expect(ask({ at: revokedMs - 1 })).toBe('granted');
    expect(ask({ at: grantedMs })).toBe('granted');
    await start();
    expect(ask()).toBe('wrong-role');
    expect(ask({ at: revokedMs - 1 })).toBe('granted');
  });

  test('I4 a key that was replaced counts for its own time only', async () => {
    await put(grantWith());
    const replacedMs = await put(grantWith({ serial: 2, sign: bobKey }));
    expect(ask()).toBe('unknown');
    expect(ask({ signer: bobKey })).toBe('granted');
    expect(ask({ at: replacedMs - 1 })).toBe('granted');
    expect(ask({ signer: bobKey, at: replacedMs - 1 })).toBe('unknown');
  });

  test('I4 replayed: an old grant that is put back after its revocation does not count, and is told', async () => {
    const grant = grantWith({ roles: ['human'] });
    await put(grant);
    await put(grantWith({ serial: 2, roles: ['observer'] }));
    const replayedMs = await put(grant);
    expect(ask()).toBe('replayed');
    expect(ask({ at: replayedMs - 1 })).toBe('wrong-role');
    expect(ask({ roles: ['observer'] })).toBe('granted');
    await start();
    expect(ask()).toBe('replayed');
  });

  test('I4 replayed: where the newer grant is missing, the older one does not count, after a restart too', async () => {
    const grant = grantWith();
    await put(grant);
    await put(grantWith({ serial: 2, roles: [] }));
    expect(ask()).toBe('wrong-role');
    // Another process, and a directory in which only the old grant lies.
    await start('rolled-back.json');
    await put(grant);
    expect(ask()).toBe('replayed');
    await put(grantWith({ serial: 3 }));
    expect(ask()).toBe('granted');
  });

  test('I4 two grants of one serial: the first that was seen stands', async () => {
    await put(grantWith({ roles: ['observer'] }));
    await put(grantWith({ roles: ['human'] }));
    expect(ask({ roles: ['observer'] })).toBe('granted');
    expect(ask()).toBe('replayed');
    await start('rolled-back.json');
    await put(grantWith({ roles: ['human'] }));
    expect(ask()).toBe('replayed');
  });

  test('I4 a grant signed by another root, or changed, is as if it were not there, and lifts no floor', async () => {
    await put(grantWith());
    await put(grantWith({ serial: 50, roles: ['operator'] }, signerOf(9)));
    await put({ ...grantWith({ serial: 2 }), roles: ['operator'] });
    expect(ask()).toBe('granted');
    expect(ask({ roles: ['operator'] })).toBe('wrong-role');
    expect(floor.highest({ kind: 'grant', ws: 'acme', peer: 'ada' })).toBe(1);
  });

  test('I4 records that a directory gives of another peer, workspace or form do not count', () => {
    const stored = (record: unknown): Stored<Grant>[] => [{ record: record as Grant, storedMs: 0 }];
    for (const [record, expected] of [
      [grantWith(), 'granted'],
      [grantWith({ peer: 'bob' }), 'unknown'],
      [grantWith({ ws: 'other' }), 'unknown'],
      [{ ...grantWith(), note: 'x' }, 'unknown'],
      [{ ...grantWith(), sign: 'U' }, 'unknown'],
    ] as const) {
      const { resolveSigner } = createSignerResolution({
        ...{ ws: 'acme', rootPublic: root.nkey, checks: createRecordChecks(), floor },
        directory: { grants: () => stored(record), grantedPeers: () => [] },
      });
      const question = { ws: 'acme', peer: 'ada', signer: adaKey, roles: ['human'], at: clock.now() } as const;
      expect(resolveSigner(question).kind).toBe(expected);
    }
  });

  test('I4 root’s signature is verified once for each record, however often it is asked and other grants come', async () => {
    const keys = createPublicKeyCheck();
    const verifier = createEd25519Verifier({ keys });
    let verified = 0;
    await start('directory.json', {
      keys,
      verifier: {
        verify(signed, field) {
          verified++;
          return verifier.verify(signed, field);
        },
      },
    });
    await put(grantWith());
    for (let round = 0; round < 3; round++) ask();
    expect(verified).toBe(1);
    await put(grantWith({ peer: 'bob', sign: bobKey }));
    for (let round = 0; round < 3; round++) ask({ signer: bobKey });
    expect(verified).toBe(2);
  });

  test('I4 at any time the newest grant stored until then decides: a model agrees', async () => {
    const change = fc.record({
      key: fc.constantFrom(1, 2),
      roles: fc.constantFrom<Grant['roles']>([], ['human'], ['observer'], ['human', 'observer']),
      rises: fc.boolean(),
      isOfRoot: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), fc.nat(7), async (changes, askedAt) => {
        const stored: Stored<Grant>[] = [];
        let model: { key: number; roles: readonly string[] } | undefined;
        let highest = 10;
        for (const [index, { key, roles, rises, isOfRoot }] of changes.entries()) {
          const serial = rises ? highest + 1 : 1;
          const fields = { peer: 'ada', sign: signerOf(key).nkey, roles, serial };
          stored.push({ record: grantWith(fields, isOfRoot ? root : signerOf(9)), storedMs: index });
          if (!(isOfRoot && (rises || model === undefined))) continue;
          highest = Math.max(highest, serial);
          if (index <= askedAt) model = { key, roles };
        }
        // A first grant of serial 1 and then nothing but rises: the model's floor is its own list.
        const fresh: SerialFloor = { ...floor, judge: () => 'known', raise: () => {} };
        const { resolveSigner } = createSignerResolution({
          ...{ ws: 'acme', rootPublic: root.nkey, checks: createRecordChecks(), floor: fresh },
          directory: { grants: () => stored, grantedPeers: () => [] },
        });
        const verdict = resolveSigner({ ws: 'acme', peer: 'ada', signer: adaKey, roles: ['human'], at: askedAt });
        expect(verdict.kind === 'granted').toBe(model?.key === 1 && model.roles.includes('human'));
      }),
      { numRuns: 80 },
    );
  });
});
