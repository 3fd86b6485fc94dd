/**
 * JSON that was typed, as a value that says the same when it is written again (protocol.md E3).
 * Law: no digit is lost in silence: a number that this program cannot hold is refused, with its place.
 */
import { type JsonNode, scanJson } from '../../../shared/base/json-scan.ts';
import { VakError } from '../../../shared/base/vak-error.ts';

/** Digits without leading and trailing zeros, and the power of ten that they stand at. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

function numberOf(text: string, path: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && decimalOf(String(value)) === decimalOf(text)) return value;
  throw new VakError(
    'invalid-input',
    `${path}: the number has more digits than can be sent exactly; write it as a text in "…"`,
  );
}

function jsonValue(node: JsonNode, path: string): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map(({ name, value }) => [name, jsonValue(value, `${path}.${name}`)]));
    case 'array':
      return node.items.map((item, at) => jsonValue(item, `${path}.${at}`));
    case 'number':
      return numberOf(node.text, path);
    case 'string':
    case 'boolean':
      return node.value;
    case 'null':
      return null;
  }
}

/** Reads a text as JSON; throws `invalid-payload` or `invalid-input` that say where and what. `name` begins the path. */
export function readExactJson(text: string, name: string): unknown {
  return jsonValue(scanJson(text, { field: name, loneSurrogates: 'refuse' }), name);
}
