/** Starts the secret-entry window: asks main what is wanted, draws the form. Nothing else of the app is reachable here. */
import '../ui/fonts.css';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/field.css';
import '../ui/dialog.css';
import './secret-entry.css';
import { LucideProvider } from 'lucide-react';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { EntryBridge } from '../../shared/contract/secret-entry-contract.ts';
import { Button } from '../ui/button.tsx';
import { TooltipProvider } from '../ui/tooltip.tsx';
import { EntryForm } from './entry-form.tsx';

declare global {
  interface Window {
    /** Put there by the window's preload script; missing if that failed. */
    readonly secretEntry?: EntryBridge;
  }
}

function Failure({ onClose }: { readonly onClose: () => void }) {
  return (
    <main className="entry">
      <div role="alert">
        <h1 className="entry-title">This window cannot ask</h1>
        <p className="entry-hint">The app did not say what is wanted. Close it and begin again; nothing was changed.</p>
      </div>
      <footer className="dialog-actions">
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      </footer>
    </main>
  );
}

function closeOnEscape(close: () => void): void {
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) close();
  });
}

async function start(container: HTMLElement): Promise<void> {
  const root = createRoot(container);
  const draw = (content: ReactNode): void =>
    root.render(
      <StrictMode>
        <LucideProvider size={16} strokeWidth={1.5}>
          <TooltipProvider>{content}</TooltipProvider>
        </LucideProvider>
      </StrictMode>,
    );
  const bridge = window.secretEntry;
  const close = (): void => (bridge === undefined ? window.close() : bridge.cancel());
  closeOnEscape(close);
  const question = await bridge?.describe().catch(() => undefined);
  if (bridge === undefined || question === undefined) {
    draw(<Failure onClose={close} />);
    return;
  }
  document.documentElement.dataset['theme'] = question.theme;
  document.title = question.title;
  draw(<EntryForm question={question} bridge={bridge} />);
}

const container = document.getElementById('root');
if (container === null) throw new Error('secret-entry.html has no #root');
void start(container);
