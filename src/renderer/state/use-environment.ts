/** The environment that an action acts on, for guards and marks: its name and its colour. */

import { currentContext } from '../ui/connection-words.ts';
import { environmentColour } from '../ui/environment-colour.ts';
import { useSnapshot } from '../workbench.tsx';

export interface Environment {
  readonly name: string;
  readonly kind: string;
  /** A CSS colour. */
  readonly colour: string;
}

/** Undefined until the engine has said it. */
export function useEnvironment(): Environment | undefined {
  const state = useSnapshot('connections.state');
  const app = useSnapshot('app.status');
  const context = currentContext(state);
  if (context !== undefined) return { name: context.name, kind: context.kind, colour: environmentColour(context) };
  if (state !== undefined) return { name: state.current, kind: 'unknown', colour: 'var(--line)' };
  if (app === undefined) return undefined;
  const { name, kind } = app.environment;
  return { name, kind, colour: environmentColour({ kind, colour: 'grey' }) };
}
