/**
 * Reads one line of what a program printed when it failed: of stacks of Node, Python, Java, Go, Rust and .NET.
 * Law: pure and linear in the length of the line, whatever stands in it; what is no line of a stack is text.
 */

/** A line of a stack, without what differs between builds and occurrences: no line numbers, addresses, hashes or folders. */
export interface StackFrame {
  /** As the program names it; `?` if it has no name. */
  readonly call: string;
  /** File without its folder; empty if it is not told. */
  readonly file: string;
  /** Of a runtime or a library, not of the program. */
  readonly isForeign: boolean;
}

/** What a line is. */
export type StackLine =
  | { readonly kind: 'frame'; readonly frame: StackFrame; readonly isReversed: boolean }
  | {
      readonly kind: 'head';
      readonly type: string;
      readonly message: string;
      readonly isCause: boolean;
      readonly isTail: boolean;
    }
  /** Begins a report of its own, with no error yet. */
  | { readonly kind: 'begin' }
  /** Says where the last frame is. */
  | { readonly kind: 'place'; readonly path: string; readonly isForeign: boolean }
  /** What follows is not of this error: another thread's. */
  | { readonly kind: 'end' }
  /** Belongs to a stack and says nothing. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'text'; readonly text: string };

/** File without its folder. */
export const fileOf = (path: string): string =>
  path
    .replace(/[?#].*$/, '')
    .split(/[\\/]/)
    .at(-1) ?? '';

/** Hashes and numbers that builds and closures put into names. */
function callOf(name: string): string {
  const call = name
    .replace(/::h[0-9a-f]{16}$/, '')
    .replace(/\$\$Lambda[^.(]*/g, '$$Lambda')
    .replace(/\$\d+/g, '$')
    .replace(/\.(?:func)?\d+(?=$|\.|\()/g, '')
    .replace(/#\d+/g, '')
    .replace(/<([^<>]*)>[bdgcm]__[\w|]*/g, '$1')
    .replace(/0x[0-9a-f]+/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
  return call === '' || /^<anonymous>$|^anonymous$/.test(call) ? '?' : call.slice(0, 160);
}

const frameOf = (call: string, path: string, isForeign: boolean): StackFrame => ({
  call: callOf(call),
  file: fileOf(path),
  isForeign,
});
const frame = (found: StackFrame, isReversed = false): StackLine => ({ kind: 'frame', frame: found, isReversed });

const nodeForeign = /^node:|^internal\/|[\\/]node_modules[\\/]|^native$|^<anonymous>$/;
const pythonForeign = /[\\/](?:site-packages|dist-packages|lib[\\/]python[\d.]+)[\\/]|^<frozen /;
const javaForeign =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|org\.(?:springframework|apache|junit|hibernate|eclipse)|io\.(?:netty|grpc)|reactor)\./;
const rustForeign =
  /^(?:std|core|alloc|tokio|futures\w*|rayon\w*|anyhow|backtrace)::|^<(?:std|core|alloc|tokio|futures)|^(?:rust_begin_unwind|__rust_|_?_?libc_start|main$|_start|start_thread|clone)|^<?alloc::/;
const dotnetForeign = /^(?:System|Microsoft)\./;
const goForeign =
  /[\\/](?:usr[\\/]local[\\/]go|go[\\/]\d[\d.]*|libexec)[\\/]src[\\/]|[\\/]pkg[\\/]mod[\\/]|[\\/]vendor[\\/]/;

/** A line is tried in this order; the first that reads it decides. */
const readers: readonly ((line: string) => StackLine | undefined)[] = [
  readDotnet,
  readJava,
  readRust,
  readNode,
  readPython,
  readGo,
  readHead,
];

/** `Exception` or `Error` in its last word. */
function isErrorName(type: string): boolean {
  const at = Math.max(type.lastIndexOf('Exception'), type.lastIndexOf('Error'));
  return at !== -1 && /^\w*$/.test(type.slice(at));
}

function readInner(line: string): StackLine | undefined {
  const found = /^\s*---> (?:\(Inner Exception #\d+\) )?([\w.+`]+)(?: \([^)]*\))?: ?(.*)$/.exec(line);
  const [, type = '', message = ''] = found ?? [];
  if (!isErrorName(type)) return undefined;
  return { kind: 'head', type, message: message.replace(/<---$/, ''), isCause: true, isTail: false };
}

function readDotnet(line: string): StackLine | undefined {
  if (/^\s*--- End of /.test(line)) return { kind: 'skip' };
  const inner = readInner(line);
  if (inner !== undefined) return inner;
  const found = /^ {2,}at ([\w.`<>+|$[\],]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: in (.+):line \d+)?\s*$/.exec(line);
  // Java and Node put a file into the brackets; .NET types of arguments, or nothing.
  if (
    found === null ||
    /^[\w$-]+\.\w+(?::\d+)*$|^(?:Native Method|Unknown Source)$|[\\/]|:\d+:\d+$/.test(found[2] ?? '')
  )
    return undefined;
  const call = found[1] ?? '';
  const dot = call.lastIndexOf('.', call.length - 2);
  if (dot < 1 || dot < call.lastIndexOf('+')) return undefined;
  return frame(frameOf(call.replace(/\.MoveNext$/, ''), found[3] ?? '', dotnetForeign.test(call)));
}

function readJava(line: string): StackLine | undefined {
  if (/^\s+\.\.\. \d+ (?:more|common frames omitted)/.test(line)) return { kind: 'skip' };
  const cause = /^\s*(?:Caused by|Suppressed|Wrapped by): ([\w.$]+)(?:: ?(.*))?$/.exec(line);
  if (cause !== null) {
    return {
      kind: 'head',
      type: cause[1] ?? '',
      message: cause[2] ?? '',
      isCause: !/^\s*Suppressed/.test(line),
      isTail: false,
    };
  }
  const found = /^\s+at ([\w.$<>/@-]+)\(([^()]*)\)(?: ~?\[[^\]]*\])?\s*$/.exec(line);
  if (
    found === null ||
    /[\\/]|:\d+:\d+$/.test(found[2] ?? '') ||
    !/\.(?:java|kt|scala|groovy|clj)\b|^(?:Native Method|Unknown Source|<generated>)/.test(found[2] ?? '')
  )
    return undefined;
  // A class loader and a module stand before it.
  const call = (found[1] ?? '').replace(/^(?:[\w.@-]+\/{1,2})+/, '');
  const dot = call.lastIndexOf('.');
  if (dot < 1 || dot === call.length - 1 || call.includes('/', dot) || call.includes('@')) return undefined;
  return frame(frameOf(call, (found[2] ?? '').replace(/:\d+$/, ''), javaForeign.test(call)));
}

/** Where a frame of Node is: a file with its line, or what has none. */
function nodePlace(place: string): string | undefined {
  const at = /:\d{1,9}(?::\d{1,9})?$/.exec(place.slice(-20));
  if (at !== null) return place.slice(0, -at[0].length);
  return /^(?:<anonymous>|native)$/.test(place) ? place : undefined;
}

function readNode(whole: string): StackLine | undefined {
  const text = /^\s{1,64}at (?!\s)/.exec(whole);
  if (text === null) return undefined;
  // The last line of an error goes on with its properties.
  const line = whole.slice(text[0].length).replace(/ \{$/, '');
  // Where many are waited for there is no file, and the place among them differs.
  if (/^async Promise\.\w{1,64} \(index \d{1,9}\)$/.test(line)) return { kind: 'skip' };
  const isNamed = line.endsWith(')');
  const from = isNamed ? line.lastIndexOf(' (') : -2;
  const place = line.slice(from + 2, isNamed ? -1 : undefined);
  const path = (isNamed && from < 1) || /[()]/.test(place) ? undefined : nodePlace(place.replace(/^async /, ''));
  if (path === undefined) return undefined;
  const name = line
    .slice(0, Math.max(0, from))
    .replace(/^(?:async )?(?:new )?/, '')
    .replace(/ \[as [^\]]{0,256}\]$/, '');
  return frame(frameOf(isNamed ? name : '?', path, nodeForeign.test(path.replace(/^file:\/\//, ''))));
}

function readPython(line: string): StackLine | undefined {
  const text = line.replace(/^(?: {2})*[|+] ?/, '');
  if (/^\s*(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):/.test(text)) return { kind: 'begin' };
  if (/^During handling of the above|^The above exception was the direct cause/.test(text)) return { kind: 'skip' };
  const found = /^\s*File "([^"]+)", line \d+(?:, in (.+))?$/.exec(text);
  if (found === null) return undefined;
  return frame(frameOf(found[2] ?? '<module>', found[1] ?? '', pythonForeign.test(found[1] ?? '')), true);
}

function readRust(line: string): StackLine | undefined {
  const panic = /^thread '[^']*'(?: \(\d+\))? panicked at (?:'(.*)', )?(\S+?):\d+(?::\d+)?:?$/.exec(line);
  if (panic !== null) return { kind: 'head', type: 'panic', message: panic[1] ?? '', isCause: false, isTail: false };
  if (/^stack backtrace:|^note: (?:run with|Some details)/.test(line)) return { kind: 'skip' };
  const place = /^\s+at (\S+\.rs):\d+(?::\d+)?$/.exec(line);
  if (place !== null)
    return { kind: 'place', path: place[1] ?? '', isForeign: /[\\/]rustc[\\/]|[\\/]\.cargo[\\/]/.test(place[1] ?? '') };
  const found =
    /^\s+\d+: +(?:0x[0-9a-f]+ - )?(\S.*::\S.*|rust_begin_unwind|main|_start|__libc_start\S*|clone|start_thread)$/.exec(
      line,
    );
  if (found === null) return undefined;
  return frame(frameOf(found[1] ?? '', '', rustForeign.test(found[1] ?? '')));
}

function readGo(line: string): StackLine | undefined {
  const panic = /^(?:\tpanic|panic|fatal error): (.*?)(?: \[recovered\])?$/.exec(line);
  if (panic !== null) {
    const isCause = line.startsWith('\t');
    return {
      kind: 'head',
      type: line.startsWith('fatal') ? 'fatal error' : 'panic',
      message: panic[1] ?? '',
      isCause,
      isTail: false,
    };
  }
  if (/^\[signal \S.*\]$|^exit status \d+$|^\.\.\.additional frames elided/.test(line)) return { kind: 'skip' };
  if (/^created by |^goroutine \d+ /.test(line)) return { kind: 'end' };
  const place = /^\t(\S.*\.(?:go|s)):\d+(?: \+0x[0-9a-f]+)?$/.exec(line);
  if (place !== null) return { kind: 'place', path: place[1] ?? '', isForeign: goForeign.test(place[1] ?? '') };
  const call = goCall(line);
  if (call === undefined) return undefined;
  return frame(frameOf(call, '', /^(?:runtime|panic|net\/http|testing|reflect|sync)\b|^panic$/.test(call)));
}

/** `main.(*Store).Get` of `main.(*Store).Get(0x1, {0x2, ...})`. */
function goCall(line: string): string | undefined {
  const from = line.lastIndexOf('(');
  if (from < 3 || !line.endsWith(')')) return undefined;
  const call = line.slice(0, from);
  if (!/^[\w./*()~[\]-]+$/.test(call)) return undefined;
  if (!/^(?:[{}\s,?]|0x[0-9a-f]+|\.\.\.)*$/.test(line.slice(from + 1, -1))) return undefined;
  // The package before a dot, without type arguments; its function behind it.
  const bracket = call.search(/[[\]]/);
  const dot = call.lastIndexOf('.', (bracket === -1 ? call.length : bracket) - 2);
  const slash = Math.max(call.lastIndexOf('/'), call.lastIndexOf('~'), call.lastIndexOf('-'));
  return dot < 1 || dot < slash ? undefined : call;
}

const typeName =
  /^(?:[A-Za-z_$][\w$]*\.)*(?:[A-Z_$][\w$]*)?(?:Error|Exception|Fault|Failure|Warning|Interrupt|Exit|Abort|Timeout|Group|Panic)\w*$/;

/** `TypeError: text`, `Uncaught X [CODE]: text`, `Exception in thread "main" a.b.C: text`, `Unhandled exception. A.B: text`, `[cause]: X: text`. */
function readHead(line: string): StackLine | undefined {
  const isCause = /^\s*\[cause\]: |^Caused by: /.test(line);
  const text = line
    .replace(/^\s*(?:[|+] ?)*/, '')
    .replace(/^\[cause\]: /, '')
    .replace(
      /^(?:Uncaught |Unhandled exception\. |Unhandled Exception: |Exception in thread "[^"]*" |throw |Error: (?=[A-Z]\w+Error: ))+/,
      '',
    );
  const found = /^([\w.$]{1,200})(?: \[[\w-]{1,64}\])?(?: \(0x[0-9A-Fa-f]+\))?(?::\s?(.*)|)$/.exec(text);
  const type = found?.[1] ?? '';
  if (found === null || !typeName.test(type)) return undefined;
  return { kind: 'head', type, message: (found[2] ?? '').replace(/ \{$/, ''), isCause, isTail: false };
}

/** The first reader that knows the line decides. */
export function readStackLine(line: string): StackLine {
  for (const read of readers) {
    const found = read(line);
    if (found !== undefined) return found;
  }
  return { kind: 'text', text: line };
}
