/** Where the selected message of a table lies. */
import type { AnyTable } from './streams-toolbar.tsx';

/** Where the selected message lies; undefined: none is selected. */
export function selectedPlace(model: AnyTable): { readonly seq: number; readonly stream: string | null } | undefined {
  if (model.selectedSeq === undefined) return undefined;
  return { seq: model.selectedSeq, stream: model.kind === 'stored' ? (model.stream ?? null) : null };
}
