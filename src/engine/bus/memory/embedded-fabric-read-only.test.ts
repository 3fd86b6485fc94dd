import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createFabricFixture,
  hearTexts,
  media,
  oneChunk,
  readText,
  receiptSubject,
  storedIn,
  turns,
  values,
} from '../../../../tests/support/fabric-fixture.ts';
import { createHeldJournal } from '../../../../tests/support/held-journal.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import type { Fabric } from '../fabric.ts';
import { hasCode } from '../laws/durable-law.ts';
import { createFabricOver } from './embedded-fabric.ts';
import { journalKey } from './journal-keys.ts';
import { createMemoryJournal } from './memory-journal.ts';

const fixture = createFabricFixture();

afterEach(() => fixture.end());

/** Everything that changes something, and that must be refused. */
async function changesOf({ durable }: Fabric): Promise<readonly unknown[]> {
  const changes = [
    durable.append(receiptSubject, utf8('x')),
    durable.keyValue(values).put('a', utf8('x')),
    durable.objects(media).put('b', oneChunk('x')),
    durable.ensureKeyValue({ name: 'VAK_NEW_ws', history: 1 }),
    durable.ensureObjects('VAK_NEW_ws'),
  ];
  const codes: unknown[] = [];
  for (const change of changes)
    codes.push(
      await change.then(
        () => 'done',
        (error: VakError) => error.code,
      ),
    );
  return codes;
}

describe('embedded fabric that cannot write', () => {
  it('B6 a full disk: the append is refused as disk-full, then all is read-only, the facts say why, and reading goes on', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const fabric = await fixture.openOver(journal);
    await fabric.durable.append(receiptSubject, utf8('kept'));
    await fabric.durable.keyValue(values).put('a', utf8('kept'));
    await fabric.durable.objects(media).put('a', oneChunk('kept'));
    const heard = hearTexts(fabric.bus);
    journal.failCommits(new VakError('disk-full', 'the disk is full'));
    expect(await changesOf(fabric)).toEqual(Array.from({ length: 5 }, () => 'disk-full'));
    journal.becomeReadOnly('the disk is full: make room');
    expect(await changesOf(fabric)).toEqual(Array.from({ length: 5 }, () => 'read-only'));
    fabric.bus.publish(receiptSubject, utf8('live'));
    await turns();
    expect(heard).toEqual(['live']);
    expect(fabric.facts().missing).toEqual([{ feature: 'storing', needs: 'the disk is full: make room' }]);
    expect((await storedIn(fabric)).map(({ data }) => toText(data))).toEqual(['kept']);
    expect(await fabric.durable.keyValue(values).get('a')).toMatchObject({ value: utf8('kept') });
    expect(await readText(fabric.durable.objects(media).get('a'))).toBe('kept');
    expect(fabric.status().kind).toBe('connected');
  });

  async function damagedFolder(damage: (file: Buffer) => void): Promise<string> {
    const folder = await fixture.createFolder();
    const fabric = await fixture.openProvisioned(folder);
    for (let at = 0; at < 200; at++)
      await fabric.durable.append(receiptSubject, utf8(`receipt ${at} ${'.'.repeat(200)}`));
    await fabric.durable.keyValue(values).put('a', utf8('kept'));
    await fabric.durable.objects(media).put('a', oneChunk('kept'));
    await fabric.close();
    for (const name of await readdir(folder)) {
      if (!/\.(?:log|ldb)$/.test(name)) continue;
      const bytes = await readFile(join(folder, name));
      if (bytes.length < 20_000) continue;
      damage(bytes);
      await writeFile(join(folder, name), bytes);
    }
    return folder;
  }

  it('B6 a damaged store opens read-only with what can be read, says so, and is not changed by it', async () => {
    const folder = await damagedFolder((bytes) => bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 64));
    const names = (await readdir(folder)).toSorted();
    const before = await Promise.all(
      names.filter((name) => /\.(?:log|ldb)$/.test(name)).map((name) => readFile(join(folder, name))),
    );
    const fabric = await fixture.open(folder);
    const [missing] = fabric.facts().missing;
    expect(missing).toMatchObject({ feature: 'storing' });
    expect(missing?.needs).toContain('damaged');
    const messages = await storedIn(fabric);
    expect(messages.length).toBeGreaterThan(20);
    expect(messages.length).toBeLessThan(200);
    for (const { data, seq } of messages) expect(toText(data)).toMatch(new RegExp(`^receipt ${seq - 1} `));
    await expect(fabric.durable.append(receiptSubject, utf8('x'))).rejects.toSatisfy(hasCode('read-only'));
    await expect(fabric.durable.ensureKeyValue({ name: 'N', history: 1 })).rejects.toSatisfy(hasCode('read-only'));
    const heard = hearTexts(fabric.bus);
    fabric.bus.publish('vak.events.ws.s.tokens', utf8('live'));
    expect(heard).toEqual(['live']);
    await fabric.close();
    const after = await Promise.all(
      names.filter((name) => /\.(?:log|ldb)$/.test(name)).map((name) => readFile(join(folder, name))),
    );
    expect(after.map((bytes, at) => Buffer.compare(bytes, before[at] as Buffer))).toEqual(after.map(() => 0));
  });

  it('B6 a store of which nothing can be read is refused as corrupt, again and again, and never becomes an empty one', async () => {
    const folder = await damagedFolder((bytes) => bytes.fill(0x5a));
    for (const name of await readdir(folder)) {
      if (/^(?:MANIFEST|CURRENT)/.test(name)) await writeFile(join(folder, name), Buffer.alloc(64, 0x5a));
    }
    for (let attempt = 0; attempt < 2; attempt++) {
      const outcome = await fixture.open(folder).then(
        async (fabric) => {
          const { missing } = fabric.facts();
          await fabric.close();
          return missing[0]?.feature;
        },
        (error: VakError) => error.code,
      );
      expect(['corrupt', 'storing']).toContain(outcome);
    }
  });

  it('B6 one whose rows do not fit together is refused as corrupt, and nothing of it stays open', async () => {
    const journal = createMemoryJournal();
    const clock = createFakeClock();
    await journal.commit([{ key: journalKey('object', 'name', 'M', 'a'), value: new Uint8Array(1) }]);
    const ports = { clock, randomness: createSeededRandomness(1), logger: createSilentLogger() };
    await expect(createFabricOver(journal, ports)).rejects.toSatisfy(hasCode('corrupt'));
    expect(clock.timerCount).toBe(0);
    await expect(journal.get(journalKey('ping'))).rejects.toSatisfy(hasCode('closed'));
  });
});
