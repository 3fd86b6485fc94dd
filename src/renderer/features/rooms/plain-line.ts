/** One line of a message without the marks of its Markdown, for lists, quotes and what was found. Pure. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import { type Block, type Inline, parseMarkdown } from './markdown.ts';

function inlineWords(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
    case 'code':
      return inline.text;
    case 'link':
      return inline.text ?? inline.url;
    case 'mention':
      return `@${inline.peer}`;
    default:
      return inlinesWords(inline.children);
  }
}

const inlinesWords = (inlines: readonly Inline[]): string => inlines.map(inlineWords).join('');

function blockWords(block: Block): string {
  switch (block.kind) {
    case 'code':
      return block.text || `code ${block.language}`.trim();
    case 'quote':
      return block.children.map(blockWords).join(' ');
    case 'list':
      return block.items.map(inlinesWords).join(' ');
    default:
      return inlinesWords(block.children);
  }
}

/** `**red** is \`eu-3\`` reads as `red is eu-3`; the line that opens a block of code as `code ts`. */
export function plainLine(line: string): string {
  return visibleText(parseMarkdown(line).map(blockWords).join(' '));
}
