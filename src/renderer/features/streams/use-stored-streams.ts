/** Which durable streams there are, read anew while somebody looks. */
import { useEffect, useState } from 'react';
import type { StoredStreams } from '../../../shared/contract/streams-contract.ts';
import { describeError } from '../../ui/describe-error.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';

const everyMs = 2_000;

/** Undefined until the first answer, and anew when another engine is used. */
export function useStoredStreams(): StoredStreams | undefined {
  const { client } = useWorkbench();
  const place = useSnapshot('app.status')?.environment.name;
  const [found, setFound] = useState<{ readonly place: string | undefined; readonly streams: StoredStreams }>();
  useEffect(() => {
    const calls = new AbortController();
    let isAsking = false;
    const keep = (streams: StoredStreams): void => {
      if (!calls.signal.aborted) setFound({ place, streams });
    };
    const look = (): void => {
      if (isAsking || document.hidden) return;
      isAsking = true;
      client.streams
        .stored({}, { signal: calls.signal })
        .then(keep, (error: unknown) => keep({ streams: [], why: describeError('List the streams', error).why }))
        .finally(() => {
          isAsking = false;
        });
    };
    look();
    const timer = setInterval(look, everyMs);
    return () => {
      calls.abort();
      clearInterval(timer);
    };
  }, [client, place]);
  return found?.place === place ? found?.streams : undefined;
}
