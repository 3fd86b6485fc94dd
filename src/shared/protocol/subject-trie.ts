/**
 * Index of patterns by token (protocol.md S2, S3).
 * Law: `match` finds exactly the values whose pattern `matches` the subject, in the order in which they were added.
 */

/** Patterns with a value each; one pattern may be added many times. */
export interface SubjectTrie<T> {
  size(): number;
  /** Adds a value under a pattern that was checked before; returns how to remove it again. */
  add(pattern: string, value: T): () => void;
  /** Values of every pattern that matches the subject, oldest first. */
  match(subject: string): T[];
}

interface Entry<T> {
  readonly order: number;
  readonly value: T;
}

interface Node<T> {
  readonly children: Map<string, Node<T>>;
  /** The child under `*`. */
  any: Node<T> | undefined;
  /** Patterns that end here. */
  readonly here: Set<Entry<T>>;
  /** Patterns that end with `>` after here. */
  readonly tails: Set<Entry<T>>;
}

const createNode = <T>(): Node<T> => ({ children: new Map(), any: undefined, here: new Set(), tails: new Set() });

/** Finds every entry whose pattern matches the tokens; goes no deeper than the longest pattern. */
function collect<T>(node: Node<T>, tokens: readonly string[]): Entry<T>[] {
  const found: Entry<T>[] = [];
  function visit({ here, tails, children, any }: Node<T>, depth: number): void {
    if (depth === tokens.length) {
      addAll(here, found);
      return;
    }
    addAll(tails, found);
    if (children.size === 0) return;
    const exact = children.get(tokens[depth] as string);
    if (exact !== undefined) visit(exact, depth + 1);
    if (any !== undefined && any !== exact) visit(any, depth + 1);
  }
  visit(node, 0);
  return found;
}

function addAll<T>(entries: ReadonlySet<Entry<T>>, found: Entry<T>[]): void {
  if (entries.size > 0) for (const entry of entries) found.push(entry);
}

/** In place, by insertion while there are few. */
function sortByOrder<T>(entries: Entry<T>[]): void {
  if (entries.length > 16) {
    entries.sort((a, b) => a.order - b.order);
    return;
  }
  for (let at = 1; at < entries.length; at++) {
    const entry = entries[at] as Entry<T>;
    let to = at;
    for (; to > 0 && (entries[to - 1] as Entry<T>).order > entry.order; to--) entries[to] = entries[to - 1] as Entry<T>;
    entries[to] = entry;
  }
}

function isUnused<T>(node: Node<T>): boolean {
  return node.children.size === 0 && node.here.size === 0 && node.tails.size === 0;
}

/** Creates an empty trie. Adding, removing and matching cost the number of tokens, not the number of patterns. */
export function createSubjectTrie<T>(): SubjectTrie<T> {
  const root = createNode<T>();
  let order = 0;
  let size = 0;

  function pathTo(tokens: readonly string[]): Node<T>[] {
    const path = [root];
    let node = root;
    for (const token of tokens) {
      let next = node.children.get(token);
      if (next === undefined) {
        next = createNode();
        node.children.set(token, next);
        if (token === '*') node.any = next;
      }
      node = next;
      path.push(node);
    }
    return path;
  }

  function prune(path: readonly Node<T>[], tokens: readonly string[]): void {
    for (let i = path.length - 1; i > 0 && isUnused(path[i] as Node<T>); i--) {
      const parent = path[i - 1] as Node<T>;
      const token = tokens[i - 1] as string;
      parent.children.delete(token);
      if (token === '*') parent.any = undefined;
    }
  }

  return {
    size: () => size,
    add(pattern, value) {
      const tokens = pattern.split('.');
      const isTail = tokens.at(-1) === '>';
      if (isTail) tokens.pop();
      const path = pathTo(tokens);
      const node = path.at(-1) as Node<T>;
      const set = isTail ? node.tails : node.here;
      const entry: Entry<T> = { order: order++, value };
      set.add(entry);
      size++;
      return () => {
        if (!set.delete(entry)) return;
        size--;
        prune(path, tokens);
      };
    },
    match(subject) {
      const found = collect(root, subject.split('.'));
      if (found.length > 1) sortByOrder(found);
      return found.map((entry) => entry.value);
    },
  };
}
