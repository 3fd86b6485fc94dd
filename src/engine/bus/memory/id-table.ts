/**
 * Finds an id among the entries of a queue: those that were added last, less those that have left at the front.
 * Law: an id is found by itself, never by its hash alone; eight bytes a place, and what left costs nothing until it is in the way.
 */

export interface IdTable {
  /** The entry of that id, counted from the first one that is there now. */
  find(id: string): number | undefined;
  /** The next entry has this id; it takes it over from an earlier one. */
  add(id: string): void;
  /** So many entries have left at the front. */
  shift(count: number): void;
}

const leastPlaces = 1_024;

/** Never 0, which says that a place is free. The seed is secret: else a peer could choose ids that all belong to one place. */
function hashOf(id: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) | 1;
}

/** Creates an empty table; `idAt` gives the id of an entry that is there, undefined if it counts no more. `seed`: 32 random bits. */
export function createIdTable(idAt: (entry: number) => string | undefined, seed: number): IdTable {
  /** Pairs of a hash and an entry, counted from the first one ever, in 32 bits: where a hash belongs, or behind. */
  let places = new Int32Array(2 * leastPlaces);
  let takenCount = 0;
  /** How many entries have left, and how many there are. */
  let left = 0;
  let count = 0;

  /** The entry of a place, from the first one that is there; one that has left is `count` or above. */
  const entryAt = (place: number): number => ((places[place + 1] as number) - left) >>> 0;

  function isAt(place: number, id: string): boolean {
    const entry = entryAt(place);
    return entry < count && idAt(entry) === id;
  }

  /** Where the id is, else the free place at which the search for it ended. */
  function placeOf(id: string, hash: number): number {
    const mask = places.length - 1;
    let place = (hash << 1) & mask;
    for (let other = places[place]; other !== 0; other = places[place]) {
      if (other === hash && isAt(place, id)) break;
      place = (place + 2) & mask;
    }
    return place;
  }

  /** The first place for the id whose entry has left, else the one given. */
  function leftBefore(end: number, hash: number): number {
    const mask = places.length - 1;
    for (let place = (hash << 1) & mask; place !== end; place = (place + 2) & mask) {
      if (entryAt(place) >= count) return place;
    }
    return end;
  }

  function put(id: string, entry: number): void {
    const hash = hashOf(id, seed);
    const found = placeOf(id, hash);
    const place = places[found] === 0 ? leftBefore(found, hash) : found;
    if (places[place] === 0) takenCount++;
    places[place] = hash;
    places[place + 1] = left + entry;
  }

  /** Makes room for twice what is there, without what has left. */
  function rebuild(): void {
    let placeCount = leastPlaces;
    while (placeCount < 4 * count) placeCount *= 2;
    const before = places;
    places = new Int32Array(2 * placeCount);
    takenCount = 0;
    const mask = places.length - 1;
    for (let from = 0; from < before.length; from += 2) {
      const hash = before[from] as number;
      const entry = before[from + 1] as number;
      if (hash === 0 || (entry - left) >>> 0 >= count) continue;
      let place = (hash << 1) & mask;
      while (places[place] !== 0) place = (place + 2) & mask;
      places[place] = hash;
      places[place + 1] = entry;
      takenCount++;
    }
  }

  return {
    find(id) {
      const place = placeOf(id, hashOf(id, seed));
      return places[place] === 0 ? undefined : entryAt(place);
    },
    add(id) {
      if (takenCount * 4 >= places.length) rebuild();
      count++;
      put(id, count - 1);
    },
    shift(gone) {
      left = (left + gone) | 0;
      count -= gone;
    },
  };
}
