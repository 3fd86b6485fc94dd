/**
 * What is done with the bytes of one payload behind its views: checked as JSON, opened row by row (E3). Runs where it is put: in the
 * window for small ones, in a worker for large ones.
 * Law: pure but for what it holds; every answer can be cloned and is bounded by what is in sight.
 */
import { utf8Fault } from './json-bytes.ts';
import { checkJson, type JsonFault, type JsonOddities } from './json-check.ts';
import { type JsonRow, openRows, toggleRow } from './json-rows.ts';
import { stepInTree } from './json-tree-keys.ts';

/** Why a payload is no JSON. */
export type NoJson =
  | { readonly reason: 'empty' }
  /** `byte`: the first that is no UTF-8, from 0. */
  | { readonly reason: 'utf-8'; readonly byte: number }
  | { readonly reason: 'json'; readonly fault: JsonFault };

/** `count`: rows of the tree as it is opened now. */
export type PayloadReading =
  | { readonly kind: 'json'; readonly oddities: JsonOddities; readonly count: number }
  | { readonly kind: 'other'; readonly why: NoJson };

export interface TreeMove {
  /** A key (WAI-ARIA tree), or `toggle` for a click on the active row. */
  readonly key: string;
  readonly active: number;
  readonly pageRows: number;
}
export interface TreeState {
  readonly count: number;
  readonly active: number;
}

export interface PayloadDesk {
  /** Reads it as JSON and opens its first rows. */
  read(): PayloadReading;
  /** Rows from `start` to before `end`. */
  rows(start: number, end: number): readonly JsonRow[];
  /** The tree after a key; undefined: it is not the tree's. */
  move(move: TreeMove): TreeState | undefined;
}

/** Creates the desk for bytes that do not change. */
export function createPayloadDesk(bytes: Uint8Array): PayloadDesk {
  let rows: readonly JsonRow[] = [];

  function readWhy(): NoJson | JsonOddities {
    if (bytes.length === 0) return { reason: 'empty' };
    const byte = utf8Fault(bytes);
    if (byte !== undefined) return { reason: 'utf-8', byte };
    const verdict = checkJson(bytes);
    return verdict.kind === 'json' ? verdict.oddities : { reason: 'json', fault: verdict.fault };
  }

  return {
    read() {
      const found = readWhy();
      if ('reason' in found) return { kind: 'other', why: found };
      rows = openRows(bytes);
      return { kind: 'json', oddities: found, count: rows.length };
    },
    rows: (start, end) => rows.slice(start, end),
    move({ key, active, pageRows }) {
      const step =
        key === 'toggle'
          ? { rows: toggleRow(bytes, rows, active), active }
          : stepInTree({ bytes, rows, active, pageRows }, key);
      if (step === undefined) return undefined;
      rows = step.rows;
      return { count: rows.length, active: step.active };
    },
  };
}
