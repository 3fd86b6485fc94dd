/** Developer commands. Law: what they publish goes through `bus.publish` as any peer's message does. */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { TokensPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { Bus } from '../bus/bus.ts';

/** Creates the service. Its calls throw `invalid-subject` for a session that is no token. */
export function createDeveloperService(deps: {
  readonly bus: Bus;
  readonly workspace: string;
}): Services<AppContract>['developer'] {
  const { bus, workspace } = deps;
  return {
    burst({ session, count, textLength }) {
      const subject = buildSubject({ plane: 'events', workspace, entity: session, verb: 'tokens' });
      let publishedCount = 0;
      for (let index = 0; index < count; index++) {
        const text = `message ${index} `.padEnd(textLength, '·').slice(0, Math.max(textLength, 16));
        const payload: TokensPayload = { channel: 'assistant', index, text };
        try {
          bus.publish(subject, utf8(JSON.stringify(payload)));
        } catch (thrown) {
          if (isVakError(thrown, 'limit-exceeded')) break;
          throw thrown;
        }
        publishedCount++;
      }
      return { publishedCount };
    },
  };
}
