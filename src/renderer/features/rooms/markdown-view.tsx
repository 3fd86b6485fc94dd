/** Markdown of a message as elements: text alone, never HTML; an address is shown whole and copied, never opened or fetched. */
import { memo, type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyIcon } from '../../ui/copy-icon.tsx';
import { formatCount } from '../../ui/format.ts';
import { type Block, type Inline, parseMarkdown } from './markdown.ts';
import { beginningOf, messageText } from './message-text.ts';

interface Named {
  /** Who can be named here; others are no mention. */
  readonly peers: ReadonlySet<string>;
  readonly me: string | undefined;
}

function Mention({ peer, peers, me }: Named & { readonly peer: string }) {
  if (!peers.has(peer)) return <>@{peer}</>;
  return <span className={peer === me ? 'mention mention-me' : 'mention'}>@{peer}</span>;
}

function Link({ text, url }: { readonly text: string | undefined; readonly url: string }) {
  return (
    <span className="message-link">
      {text !== undefined && <span>{messageText(text)} </span>}
      <span className="message-url">{messageText(url)}</span>
      <CopyIcon name="address" value={url} />
    </span>
  );
}

function inlineNode(inline: Inline, key: number, named: Named): ReactNode {
  switch (inline.kind) {
    case 'text':
      return messageText(inline.text);
    case 'code':
      return (
        <code key={key} className="message-code">
          {messageText(inline.text)}
        </code>
      );
    case 'strong':
      return <strong key={key}>{inlineNodes(inline.children, named)}</strong>;
    case 'emphasis':
      return <em key={key}>{inlineNodes(inline.children, named)}</em>;
    case 'struck':
      return <s key={key}>{inlineNodes(inline.children, named)}</s>;
    case 'link':
      return <Link key={key} text={inline.text} url={inline.url} />;
    case 'mention':
      return <Mention key={key} peer={inline.peer} {...named} />;
  }
}

const inlineNodes = (all: readonly Inline[], named: Named): ReactNode =>
  all.map((one, at) => inlineNode(one, at, named));

function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  return (
    <div className="message-block-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys. */}
      <pre role="region" tabIndex={0} aria-label={language === '' ? 'code' : `code, ${language}`}>
        {messageText(text)}
      </pre>
      <CopyIcon name="code" value={text} />
    </div>
  );
}

function blockNode(block: Block, key: number, named: Named): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p key={key}>{inlineNodes(block.children, named)}</p>;
    case 'heading':
      return (
        <p key={key} className="message-heading">
          {inlineNodes(block.children, named)}
        </p>
      );
    case 'code':
      return <CodeBlock key={key} text={block.text} language={block.language} />;
    case 'quote':
      return <blockquote key={key}>{block.children.map((one, at) => blockNode(one, at, named))}</blockquote>;
    case 'list': {
      // biome-ignore lint/suspicious/noArrayIndexKey: the items of one text never change.
      const items = block.items.map((item, at) => <li key={at}>{inlineNodes(item, named)}</li>);
      return block.first === undefined ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol key={key} start={block.first}>
          {items}
        </ol>
      );
    }
  }
}

export interface MarkdownViewProps extends Named {
  readonly text: string;
}

export const MarkdownView = memo(function MarkdownView({ text, peers, me }: MarkdownViewProps) {
  const [isWhole, setIsWhole] = useState(false);
  const beginning = useMemo(() => beginningOf(text), [text]);
  const shown = isWhole ? text : (beginning ?? text);
  const blocks = useMemo(() => parseMarkdown(shown), [shown]);
  return (
    <>
      <div className="message-text" dir="auto">
        {blocks.map((block, at) => blockNode(block, at, { peers, me }))}
      </div>
      {beginning !== undefined && !isWhole && (
        <span data-grows>
          <Button variant="quiet" onClick={() => setIsWhole(true)}>
            Show all {formatCount(text.length)} characters
          </Button>
        </span>
      )}
    </>
  );
});
