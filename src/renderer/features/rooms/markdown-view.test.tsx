import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { MarkdownView } from './markdown-view.tsx';

const draw = (text: string): string =>
  renderToStaticMarkup(
    <TooltipProvider>
      <MarkdownView text={text} peers={new Set(['alice', 'bob'])} me="alice" />
    </TooltipProvider>,
  );

describe('R11 Markdown on the screen', () => {
  it('R11 HTML in a message stays text', () => {
    const html = draw('<img src=x onerror=alert(1)> <script>alert(2)</script>\n\n```html\n<b onclick="x">\n```');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).toContain('&lt;b onclick=&quot;x&quot;&gt;');
    expect(html).not.toMatch(/<(?:img|script|b)[ >]/);
  });

  it('R11 an address is shown whole beside its words, and leads nowhere', () => {
    const html = draw('[your bank](https://evil.example/login) ![x](https://evil.example/pixel.png)');
    expect(html).toContain('your bank');
    expect(html).toContain('https://evil.example/login');
    expect(html).not.toMatch(/\s(?:href|src|srcset|style|action)=/);
  });

  it('R11 what would hide or reorder is a sign, in code and in links too', () => {
    const html = draw('a\u202eb `c\u202ed` https://e.example/\u2066x\n\n```\nf\u200bg\n```');
    expect(html).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/);
    expect(html).toContain('‹U+202E›');
  });

  it('names are marked where they are of the room, and mine apart', () => {
    const html = draw('@alice @bob @nobody');
    expect(html).toContain('<span class="mention mention-me">@alice</span>');
    expect(html).toContain('<span class="mention">@bob</span>');
    expect(html).toMatch(/ @nobody/);
  });
});
