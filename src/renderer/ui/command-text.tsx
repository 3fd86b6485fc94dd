/** What would be run, whole: nothing hides in it, and it is copied as a shell reads it. */
import { CopyButton } from './copy-button.tsx';
import { formatCount } from './format.ts';
import { LongText } from './payload/payload-text.tsx';
import { commandParts, shellLine } from './shell-line.ts';
import './command-text.css';

/** Characters that are shown before the rest is asked for. */
const firstLength = 4096;

export function CommandText({ command }: { readonly command: readonly string[] }) {
  const { shell, text } = commandParts(command);
  const isLong = text.length > firstLength;
  return (
    <div className="command-text">
      <div className="command-text-head">
        <span className="data dim">{shell ?? 'command'}</span>
        <span className={isLong ? 'tone-wait' : 'dim'}>{formatCount(text.length)} characters</span>
        <CopyButton text={shellLine(command)}>Copy</CopyButton>
      </div>
      <LongText text={text} firstLength={firstLength} data-testid="command-text" />
    </div>
  );
}
