/**
 * The journal of an embedded engine that was asked to keep nothing (protocol.md B6): the same port, in memory.
 * Law: what it keeps is gone with it; in all else nobody can tell it from the one on disk.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Journal } from './journal.ts';
import { bytesOf, byteText, createOrderedMap, type OrderedEntry } from './ordered-map.ts';

async function* asEntries(view: Iterable<OrderedEntry<Uint8Array>>, assertOpen: () => void) {
  for (const { key, value } of view) {
    assertOpen();
    yield { key: bytesOf(key), value: value.slice() };
  }
}

/** Creates an empty journal in memory. */
export function createMemoryJournal(): Journal {
  const map = createOrderedMap<Uint8Array>();
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new VakError('closed', 'the journal in memory is closed; open it again');
  }

  return {
    readOnlyReason: undefined,
    async commit(changes) {
      assertOpen();
      for (const { key, value } of changes) {
        if (value === undefined) map.delete(byteText(key));
        else map.set(byteText(key), value.slice());
      }
    },
    async get(key) {
      assertOpen();
      return map.get(byteText(key))?.slice();
    },
    entries({ from, to }) {
      assertOpen();
      return asEntries(map.view(byteText(from), byteText(to)), assertOpen);
    },
    async close() {
      isClosed = true;
    },
  };
}
