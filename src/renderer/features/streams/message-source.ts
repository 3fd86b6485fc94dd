/** The bytes of a message, or of its opened payload, from the engine: a beginning with it, the rest in slices. */
import { useCallback, useMemo } from 'react';
import type { MessagePart } from '../../../shared/contract/streams-contract.ts';
import type { PayloadSource } from '../../ui/payload/payload-source.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';

export interface MessageBytes {
  readonly seq: number;
  /** The stream in which it lies; null: it was heard live. */
  readonly stream: string | null;
  readonly part: MessagePart;
  /** The beginning, and how many bytes there are. */
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
}

type Asked = Pick<Workbench['client'], 'streams'>;

/** Where the bytes are found. */
export function messageSource(
  { streams }: Asked,
  { seq, stream, part, bytes: head, sizeBytes }: MessageBytes,
): PayloadSource {
  return {
    ...{ head, sizeBytes },
    slice: (offset, length, signal) => streams.slice({ seq, stream, part, offset, length }, { signal }),
  };
}

/** Where a view finds the bytes, and what writes all of them to a file. */
export function useMessageSource({ seq, stream, part, bytes, sizeBytes }: MessageBytes): {
  readonly source: PayloadSource;
  readonly onSave: () => Promise<unknown>;
} {
  const { client } = useWorkbench();
  const source = useMemo(
    () => messageSource(client, { seq, stream, part, bytes, sizeBytes }),
    [client, seq, stream, part, bytes, sizeBytes],
  );
  const onSave = useCallback(() => client.streams.save({ seq, stream, part }), [client, seq, stream, part]);
  return { source, onSave };
}
