/** One line that is whole where there is room, else shortened in the middle; whole on hover, and whole when it is selected. */
import { visibleText } from '../../shared/base/visible-text.ts';
import './middle-text.css';

/** Characters at the end that are never cut; shorter texts are cut at their end. */
const tailLength = 8;
const splitFrom = 20;

export function MiddleText({ text }: { readonly text: string }) {
  const shown = visibleText(text);
  const characters = [...shown];
  const tailAt = characters.length < splitFrom ? characters.length : characters.length - tailLength;
  return (
    <span className="middle-text" title={shown}>
      <span className="middle-text-head">{characters.slice(0, tailAt).join('')}</span>
      <span className="middle-text-tail">{characters.slice(tailAt).join('')}</span>
    </span>
  );
}
