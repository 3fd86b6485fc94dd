/**
 * Takes what looks like a secret out of what was opened, and counts it (docs/spec/triage.md D11).
 * Law: not a digit of the rest changes (E3); what is no text cannot be looked through, and is left out whole.
 */
import { type JsonNode, scanJson } from '../../shared/base/json-scan.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { isSecretName, markOf, redactText, type SecretKind } from './bundle-secrets.ts';

export interface Redaction {
  /** A text that may be JSON. */
  text(text: string): string;
  /** A value whose texts are to be looked through. */
  value<T>(value: T): T;
  /** Bytes as text, without secrets; undefined: they are no text. */
  bytes(data: Uint8Array): string | undefined;
  /** How many were found, by kind. */
  counts(): Readonly<Partial<Record<SecretKind, number>>>;
}

/** A part of a text that is another one now. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const maxDepth = 128;
/** `--password` as an argument of its own: the next one is its value. */
const option = /^--?[A-Za-z][\w.-]{0,127}$/;

const isOption = (node: JsonNode | undefined): boolean =>
  node?.kind === 'string' && option.test(node.value) && isSecretName(node.value);

function applied(text: string, changes: readonly Change[]): string {
  let [done, from] = ['', 0];
  for (const { start, end, text: put } of changes.toSorted((a, b) => a.start - b.start)) {
    done += `${text.slice(from, start)}${put}`;
    from = end;
  }
  return done + text.slice(from);
}

/** Creates it, having found nothing. */
export function createRedaction(): Redaction {
  const counts: Partial<Record<SecretKind, number>> = {};
  const note = (kind: SecretKind): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };

  /** A name that is a secret itself has no place that is known: the text around it is looked through as text. */
  let hasSecretName = false;
  const isSecret = (text: string): boolean => {
    let isFound = false;
    redactText(text, () => {
      isFound = true;
    });
    return isFound;
  };

  /** `isNamed`: its name, or the argument before it, says that it is a secret. */
  function lookAtLeaf(node: JsonNode, isNamed: boolean, changes: Change[]): void {
    if (node.kind !== 'string' && node.kind !== 'number') return;
    const before = node.kind === 'string' ? node.value : node.text;
    const isWhole = isNamed && before !== '';
    if (isWhole) note('named');
    const after = isWhole ? markOf('named') : redactText(before, note);
    if (after !== before) changes.push({ start: node.start, end: node.end, text: JSON.stringify(after) });
  }

  function lookAt(node: JsonNode, isNamed: boolean, changes: Change[]): void {
    if (node.kind === 'object') {
      for (const { name, value } of node.members) {
        hasSecretName ||= isSecret(name);
        lookAt(value, isNamed || isSecretName(name), changes);
      }
    } else if (node.kind === 'array') {
      for (const [index, item] of node.items.entries()) {
        lookAt(item, isNamed || isOption(node.items[index - 1]), changes);
      }
    } else lookAtLeaf(node, isNamed, changes);
  }

  function redactJson(text: string): string | undefined {
    let root: JsonNode;
    try {
      root = scanJson(text, { field: 'payload', maxDepth, duplicates: 'keep' });
    } catch (error) {
      if (isVakError(error)) return undefined;
      throw error;
    }
    if (root.kind !== 'object' && root.kind !== 'array') return undefined;
    const changes: Change[] = [];
    hasSecretName = false;
    lookAt(root, false, changes);
    const done = applied(text, changes);
    return hasSecretName ? redactText(done, note) : done;
  }

  const redact = (text: string): string => {
    const json = /^\s*[[{]/.test(text) ? redactJson(text) : undefined;
    return json ?? redactText(text, note);
  };

  function value(one: unknown): unknown {
    if (typeof one === 'string') return redact(one);
    if (Array.isArray(one)) return one.map(value);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, held]) => [name, value(held)]));
  }

  return {
    text: redact,
    value: <T>(one: T): T => value(one) as T,
    bytes(data) {
      try {
        return redact(new TextDecoder('utf-8', { fatal: true }).decode(data));
      } catch (error) {
        if (error instanceof TypeError) return undefined;
        throw error;
      }
    },
    counts: () => counts,
  };
}
