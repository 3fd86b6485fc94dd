/** What the Operations Center keeps, without a disk: the memory of incidents, and settings. */
import { expect } from 'vitest';
import type { Acknowledgement } from '../../src/engine/operations/incident-book.ts';
import type { IncidentMemory, LostTask } from '../../src/engine/operations/incident-memory.ts';
import { rowOf } from '../../src/shared/settings/setting-keys.ts';
import { readSettings, type Settings } from '../../src/shared/settings/settings-schema.ts';

/** Memory of a profile that outlives the services of a test. */
export function createKeptMemory(): IncidentMemory {
  const acknowledged = new Map<string, Acknowledgement>();
  const lost = new Map<string, LostTask>();
  return {
    of(workspace, destination) {
      const at = (id: string): string => `${workspace} ${destination} ${id}`;
      return {
        acknowledged: (id) => acknowledged.get(at(id)),
        acknowledge: async (id, one) => void acknowledged.set(at(id), one),
        async takeBack(ids) {
          for (const id of ids) acknowledged.delete(at(id));
        },
        lost: () => [...lost].filter(([key]) => key.startsWith(at(''))).map(([, task]) => task),
        async changeLost(more, found) {
          for (const task of more) lost.set(at(task.leaf), task);
          for (const leaf of found) lost.delete(at(leaf));
        },
      };
    },
    close: async () => {},
  };
}

/** Settings of a file that is nowhere. */
export function createKeptSettings() {
  const values = new Map<string, unknown>();
  const settings = (): Settings => {
    const root: Record<string, Record<string, unknown>> = {};
    for (const [key, value] of values) {
      const [section = '', name = ''] = key.split('.');
      root[section] = { ...root[section], [name]: value };
    }
    return readSettings(root).settings;
  };
  return {
    settings,
    async set(key: string, value: unknown) {
      expect(rowOf(key)?.accepts(value), key).toBe(true);
      values.set(key, value);
    },
    delete: async (key: string) => values.delete(key),
  };
}
