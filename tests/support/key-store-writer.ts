/** A program that changes a key store until it is killed or has done enough: raises a serial, and tells each one that is written. */
import { writeSync } from 'node:fs';
import { createFileKeyStore } from '../../src/engine/identity/file-key-store.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createMemoryVault } from './memory-vault.ts';

const [file = '', count = '1000000000'] = process.argv.slice(2);
const store = createFileKeyStore({
  ...{ file, vault: createMemoryVault(), clock: createSystemClock(), randomness: createSystemRandomness() },
  ...{ logger: createSilentLogger(), idleLockMinutes: 0 },
});
await store.unlock({});
for (let done = 0; done < Number(count); done++) {
  let serial = 0;
  await store.update((contents) => {
    const identities = contents.identities.map((one) => ({ ...one, cardSerial: one.cardSerial + 1 }));
    serial = identities[0]?.cardSerial ?? 0;
    return { ...contents, identities };
  });
  writeSync(1, `${serial}\n`);
}
store.dispose();
