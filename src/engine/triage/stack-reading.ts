/**
 * Reads what programs print when they fail: stacks of Node, Python, Java, Go, Rust and .NET, also in the midst of other output.
 * Law: pure and linear; a text of any length costs no more than its last 32 KiB; what is no stack reads as nothing.
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

/** One error; `frames`: innermost call first. */
export interface StackError {
  /** Class of the error; empty if it is not told. */
  readonly type: string;
  readonly message: string;
  readonly frames: readonly StackFrame[];
}

/** Characters that are looked at: of what a program printed the end says why it ended. */
const maxRead = 32 * 1024;
const maxLine = 2048;
/** Lines that a message goes on for. */
const maxMessageLines = 8;

type Line =
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

const fileOf = (path: string): string =>
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
const frame = (found: StackFrame, isReversed = false): Line => ({ kind: 'frame', frame: found, isReversed });

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
const readers: readonly ((line: string) => Line | undefined)[] = [
  readDotnet,
  readJava,
  readRust,
  readNode,
  readPython,
  readGo,
  readHead,
];

function readDotnet(line: string): Line | undefined {
  if (/^\s*--- End of /.test(line)) return { kind: 'skip' };
  const inner =
    /^\s*---> (?:\(Inner Exception #\d+\) )?([\w.+`]+(?:Exception|Error)\w*)(?: \([^)]*\))?: ?(.*?)(?:<---)?$/.exec(
      line,
    );
  if (inner !== null)
    return { kind: 'head', type: inner[1] ?? '', message: inner[2] ?? '', isCause: true, isTail: false };
  const found =
    /^ {2,}at ([\w.`<>+|$[\],]+\.[\w`<>|$.[\],]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: in (.+):line \d+)?\s*$/.exec(
      line,
    );
  // Java and Node put a file into the brackets; .NET types of arguments, or nothing.
  if (
    found === null ||
    /^[\w$-]+\.\w+(?::\d+)*$|^(?:Native Method|Unknown Source)$|[\\/]|:\d+:\d+$/.test(found[2] ?? '')
  )
    return undefined;
  const call = found[1] ?? '';
  return frame(frameOf(call.replace(/\.MoveNext$/, ''), found[3] ?? '', dotnetForeign.test(call)));
}

function readJava(line: string): Line | undefined {
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
  const found = /^\s+at (?:[\w.@-]+\/{1,2})*([\w.$<>/-]+\.[\w$<>-]+)\(([^()]*)\)(?: ~?\[[^\]]*\])?\s*$/.exec(line);
  if (
    found === null ||
    /[\\/]|:\d+:\d+$/.test(found[2] ?? '') ||
    !/\.(?:java|kt|scala|groovy|clj)\b|^(?:Native Method|Unknown Source|<generated>)/.test(found[2] ?? '')
  )
    return undefined;
  const call = found[1] ?? '';
  return frame(frameOf(call, (found[2] ?? '').replace(/:\d+$/, ''), javaForeign.test(call)));
}

function readNode(whole: string): Line | undefined {
  // Where many are waited for there is no file, and the place among them differs.
  if (/^\s+at async Promise\.\w+ \(index \d+\)$/.test(whole)) return { kind: 'skip' };
  // The last line of an error goes on with its properties.
  const line = whole.replace(/ \{$/, '');
  const found =
    /^\s+at (?:async |new |async new )?(?:(.+?) (?:\[as [^\]]*\] )?\()?((?:file:\/\/|node:|app:\/\/|webpack:\/\/\S*?)?[^()]*?|<anonymous>|native):?(\d+)?:?(\d+)?\)?$/.exec(
      line,
    );
  if (found === null || (found[3] === undefined && !/<anonymous>|native/.test(line))) return undefined;
  const path = found[2] ?? '';
  return frame(frameOf(found[1] ?? '?', path, nodeForeign.test(path.replace(/^file:\/\//, ''))));
}

function readPython(line: string): Line | undefined {
  const text = line.replace(/^(?: {2})*[|+] ?/, '');
  if (/^\s*(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):/.test(text)) return { kind: 'begin' };
  if (/^During handling of the above|^The above exception was the direct cause/.test(text)) return { kind: 'skip' };
  const found = /^\s*File "([^"]+)", line \d+(?:, in (.+))?$/.exec(text);
  if (found === null) return undefined;
  return frame(frameOf(found[2] ?? '<module>', found[1] ?? '', pythonForeign.test(found[1] ?? '')), true);
}

function readRust(line: string): Line | undefined {
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

function readGo(line: string): Line | undefined {
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
  if (/^\[signal \S+.*\]$|^exit status \d+$|^\.\.\.additional frames elided/.test(line)) return { kind: 'skip' };
  if (/^created by |^goroutine \d+ /.test(line)) return { kind: 'end' };
  const place = /^\t(\S.*\.(?:go|s)):\d+(?: \+0x[0-9a-f]+)?$/.exec(line);
  if (place !== null) return { kind: 'place', path: place[1] ?? '', isForeign: goForeign.test(place[1] ?? '') };
  const found = /^([\w./*()~-]+\.(?:[\w.()*[\]]+|func\d+[\w.]*))\((?:\.\.\.|(?:[{}\s,?]|0x[0-9a-f]+|\.\.\.)*)\)$/.exec(
    line,
  );
  if (found === null) return undefined;
  const call = found[1] ?? '';
  return frame(frameOf(call, '', /^(?:runtime|panic|net\/http|testing|reflect|sync)\b|^panic$/.test(call)));
}

const typeName =
  /^(?:[A-Za-z_$][\w$]*\.)*(?:[A-Z_$][\w$]*)?(?:Error|Exception|Fault|Failure|Warning|Interrupt|Exit|Abort|Timeout|Group|Panic)\w*$/;

/** `TypeError: text`, `Uncaught X [CODE]: text`, `Exception in thread "main" a.b.C: text`, `Unhandled exception. A.B: text`, `[cause]: X: text`. */
function readHead(line: string): Line | undefined {
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

interface Building {
  type: string;
  messages: string[];
  frames: StackFrame[];
  isReversed: boolean;
  isCause: boolean;
  /** Whether lines of text go on with its message. */
  isOpen: boolean;
  /** Whether frames that follow are of something else. */
  isOver: boolean;
}

const begun = (head: Partial<Building>): Building => ({
  ...{ type: '', messages: [], frames: [], isReversed: false, isCause: false, isOpen: false, isOver: false },
  ...head,
});

function isEmpty({ type, messages, frames }: Building): boolean {
  return type === '' && messages.length === 0 && frames.length === 0;
}

function finished({ type, messages, frames, isReversed }: Building): StackError {
  return { type, message: messages.join('\n').trim(), frames: isReversed ? frames.toReversed() : frames };
}

function lineOf(line: string): Line {
  for (const read of readers) {
    const found = read(line);
    if (found !== undefined) return found;
  }
  return { kind: 'text', text: line };
}

/** Collects the errors of a text; one report is an error with its causes. */
function createCollector() {
  const reports: Building[][] = [];
  let now = begun({});

  /** Puts the present error where it belongs: to the report before it if it is its cause. */
  function close(): void {
    if (!isEmpty(now)) {
      const last = reports.at(-1);
      if (now.isCause && last !== undefined) last.push(now);
      else reports.push([now]);
    }
  }

  function onHead({ type, message, isCause }: Line & { readonly kind: 'head' }): void {
    // Python names the error after its frames.
    if (now.isReversed && now.type === '' && now.frames.length > 0) {
      now.type = type;
      now.messages = [message];
      now.isOpen = true;
      return;
    }
    close();
    now = begun({ type, messages: message === '' ? [] : [message], isCause, isOpen: true });
  }

  function onFrame({ frame: found, isReversed }: Line & { readonly kind: 'frame' }): void {
    if (isReversed && !now.isReversed) {
      close();
      now = begun({ isReversed });
    }
    now.isOpen = false;
    if (!now.isOver) now.frames.push(found);
  }

  function onPlace({ path, isForeign }: Line & { readonly kind: 'place' }): void {
    if (now.isOver) return;
    const last = now.frames.pop();
    if (last !== undefined) now.frames.push({ ...last, file: fileOf(path), isForeign: last.isForeign || isForeign });
  }

  return {
    take(line: Line): void {
      switch (line.kind) {
        case 'head':
          onHead(line);
          break;
        case 'frame':
          onFrame(line);
          break;
        case 'begin':
          close();
          now = begun({ isReversed: true });
          break;
        case 'text':
          if (now.isOpen && now.messages.length < maxMessageLines) now.messages.push(line.text.trim());
          break;
        case 'place':
          onPlace(line);
          break;
        case 'end':
          now.isOpen = false;
          now.isOver = now.frames.length > 0;
          break;
        case 'skip':
          break;
      }
    },
    reports(): readonly (readonly Building[])[] {
      close();
      now = begun({});
      return reports;
    },
  };
}

/** What a program said last that is no stack: from its last line that speaks of an error, else its last line. */
function lastWords(lines: readonly string[]): string {
  const said = lines.filter((line) => line.trim() !== '');
  const at = said.findLastIndex((line) => /^\s*(?:\S{1,40} )?(?:error|fatal|failed|failure|panic)\b/i.test(line));
  return said
    .slice(at === -1 ? -1 : at)
    .slice(0, maxMessageLines)
    .join('\n')
    .trim();
}

/**
 * The errors of the last report that has frames, else of the last: the outermost first, its causes after it. Of a text without a report
 * one error that has its last words, no type and no frames. Empty: it says nothing.
 */
export function readStack(text: string): readonly StackError[] {
  const collector = createCollector();
  const lines = text
    .slice(-maxRead)
    .split(/\r?\n/)
    .map((line) => line.slice(0, maxLine));
  for (const line of lines) collector.take(lineOf(line));
  const reports = collector.reports();
  const report = reports.findLast((one) => one.some(({ frames }) => frames.length > 0)) ?? reports.at(-1);
  if (report !== undefined) return report.map(finished);
  const message = lastWords(lines);
  return message === '' ? [] : [{ type: '', message, frames: [] }];
}
