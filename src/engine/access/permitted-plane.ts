/**
 * The durable plane as one peer may use it (protocol.md A4, A9, A10).
 * Law: every call is judged before the engine changes or gives out anything; other workspaces on the same engine are not even named.
 */
import { mediaPlace, takesItsSubjects } from '../../shared/protocol/storage-access.ts';
import type { DurablePlane, MakeOptions, StoredMessage } from '../bus/durable.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { Permit } from './permit.ts';
import { createPermittedObjects, createPermittedValues } from './permitted-buckets.ts';
import { createPermittedStream } from './permitted-stream.ts';

/** Duplicates of its own messages that a peer may still look at. */
const rememberedEchoes = 256;

/** Wraps a plane for one peer: whatever its permit does not allow is `forbidden`. */
export function createPermittedPlane(durable: DurablePlane, permit: Permit): DurablePlane {
  const echoes = createBoundedCache<string>(rememberedEchoes);
  const echoKey = (stream: string, seq: number): string => `${stream} ${seq}`;
  const isEcho = ({ stream, seq, messageId }: StoredMessage): boolean =>
    messageId !== undefined && echoes.get(echoKey(stream, seq)) === messageId;
  /** To look whether it is there takes no more than to see its figures. */
  const checkMaking = (place: string, options: MakeOptions | undefined): void => {
    if (options?.dryRun !== true || !permit.askStorage('inspect', place).allowed) permit.checkStorage('make', place);
  };

  return {
    async limits() {
      permit.checkStorage('inspect', 'plane');
      return await durable.limits();
    },
    async ensureStream(spec, options) {
      const place = `stream.${spec.name}`;
      checkMaking(place, options);
      if (!takesItsSubjects(permit.workspace, spec)) {
        throw permit.refuse({ action: 'make', subject: place }, 'A10 a stream takes the subjects of its row');
      }
      return await durable.ensureStream(spec, options);
    },
    async streams() {
      const all = await durable.streams();
      return all.filter(({ spec }) => permit.askStorage('inspect', `stream.${spec.name}`).allowed);
    },
    stream: (name) => createPermittedStream({ durable, permit, isEcho }, name),
    async deleteStream(name) {
      permit.checkStorage('remove', `stream.${name}`);
      return await durable.deleteStream(name);
    },
    async append(subject, data, options) {
      permit.check('publish', subject, { action: 'append', subject });
      const appended = await durable.append(subject, data, options);
      const { stream, seq, isDuplicate } = appended;
      if (isDuplicate && options?.messageId !== undefined) echoes.set(echoKey(stream, seq), options.messageId);
      return appended;
    },
    async ensureKeyValue(spec, options) {
      checkMaking(`values.${spec.name}`, options);
      return await durable.ensureKeyValue(spec, options);
    },
    keyValue: (name) => createPermittedValues(durable, permit, name),
    async ensureObjects(name, options) {
      checkMaking(mediaPlace(permit.workspace, name), options);
      return await durable.ensureObjects(name, options);
    },
    objects: (name) => createPermittedObjects(durable, permit, name),
  };
}
