import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Inline, parseInline, parseMarkdown } from './markdown.ts';

const text = (words: string): Inline => ({ kind: 'text', text: words });

describe('R11 Markdown of messages', () => {
  it.each<[string, readonly Inline[]]>([
    ['a **b** c', [text('a '), { kind: 'strong', children: [text('b')] }, text(' c')]],
    [
      '__b__ _c_ *d* ~~e~~',
      [
        { kind: 'strong', children: [text('b')] },
        text(' '),
        { kind: 'emphasis', children: [text('c')] },
        text(' '),
        { kind: 'emphasis', children: [text('d')] },
        text(' '),
        { kind: 'struck', children: [text('e')] },
      ],
    ],
    [
      '**a *b* c**',
      [{ kind: 'strong', children: [text('a '), { kind: 'emphasis', children: [text('b')] }, text(' c')] }],
    ],
    ['`a *b*`', [{ kind: 'code', text: 'a *b*' }]],
    ['``a ` b``', [{ kind: 'code', text: 'a ` b' }]],
    ['ask @bob, not a@b', [text('ask '), { kind: 'mention', peer: 'bob' }, text(', not a@b')]],
    [String.raw`\*a\* \@bob`, [text('*a* @bob')]],
  ])('R11 %s', (typed, tree) => {
    expect(parseInline(typed)).toEqual(tree);
  });

  it.each(['snake_case_name', '2 * 3 * 4', '**open', '`open', '[a](b)', '* ', '~~ no ~~', 'h', '@'])(
    'R11 what is no mark stays as it was typed: %s',
    (typed) => {
      expect(parseInline(typed)).toEqual([text(typed)]);
    },
  );

  it('R11 an address is a link of its own; one behind words is kept beside them', () => {
    expect(parseInline('see https://a.example/x?y=1.')).toEqual([
      text('see '),
      { kind: 'link', text: undefined, url: 'https://a.example/x?y=1' },
      text('.'),
    ]);
    expect(parseInline('[the bank](https://evil.example)')).toEqual([
      { kind: 'link', text: 'the bank', url: 'https://evil.example' },
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:void%200',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    '//a.example',
    '/a',
  ])('R11 %s is no address', (url) => {
    expect(parseInline(`[a](${url})`).some(({ kind }) => kind === 'link')).toBe(false);
  });

  it('R11 HTML is text', () => {
    expect(parseMarkdown('<img src=x onerror=alert(1)>\n<b>a</b>')).toEqual([
      { kind: 'paragraph', children: [text('<img src=x onerror=alert(1)>\n<b>a</b>')] },
    ]);
  });

  it('R11 has code, quotes, lists and headings; lines of a paragraph stay lines', () => {
    const blocks = parseMarkdown('# A\none\ntwo\n\n```ts\nlet a = `**`;\n\n<b>\n```\n> q\n> > r\n- x\n- y\n3. z');
    expect(blocks.map(({ kind }) => kind)).toEqual([...['heading', 'paragraph', 'code', 'quote', 'list', 'list']]);
    expect(blocks[1]).toEqual({ kind: 'paragraph', children: [text('one\ntwo')] });
    expect(blocks[2]).toEqual({ kind: 'code', language: 'ts', text: 'let a = `**`;\n\n<b>' });
    expect((blocks[3] as Extract<Block, { kind: 'quote' }>).children.map(({ kind }) => kind)).toEqual([
      ...['paragraph', 'quote'],
    ]);
    expect(blocks[5]).toEqual({ kind: 'list', first: 3, items: [[text('z')]] });
  });

  it('R11 code that is not ended goes to the end', () => {
    expect(parseMarkdown('```\na\n# b')).toEqual([{ kind: 'code', language: '', text: 'a\n# b' }]);
  });

  it('R11 nests no deeper than anyone writes', () => {
    const depthOf = (blocks: readonly Block[]): number =>
      Math.max(0, ...blocks.map((one) => (one.kind === 'quote' ? 1 + depthOf(one.children) : 0)));
    expect(depthOf(parseMarkdown(`${'> '.repeat(500)}a`))).toBe(4);
  });

  it.each(['*', '_', '`', '~~', '[', '@', 'h', '> ', '**a ', '- ', '![](', 'http://', '*a_b '])(
    'R13 64 KiB of %s take no longer than of words',
    (part) => {
      const startedMs = performance.now();
      parseMarkdown(part.repeat(Math.floor(65_536 / part.length)));
      expect(performance.now() - startedMs).toBeLessThan(2_000);
    },
  );

  it('R11 any text parses, and no letter of it is lost', () => {
    const lettersOf = (inline: Inline): string => {
      if ('children' in inline) return inline.children.map(lettersOf).join('');
      if (inline.kind === 'link') return (inline.text ?? '') + inline.url;
      return inline.kind === 'mention' ? inline.peer : inline.text;
    };
    const parts = fc.constantFrom('*', '**', '_', '`', '~~', '\\', '[x](https://a.b)', '@bob', 'https://c.d', 'w', ' ');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (typed) => {
        const count = (all: string): number => [...all].filter((one) => one === 'w').length;
        expect(count(parseInline(typed.join('')).map(lettersOf).join(''))).toBe(count(typed.join('')));
      }),
    );
  });
});
