/**
 * Buckets of values and of objects as one peer may use them (protocol.md A4).
 * Law: a peer writes its own card and media, the holder of the root grants, an operator states; every peer reads them.
 */
import { mediaPlace } from '../../shared/protocol/storage-access.ts';
import type { DurablePlane, KeyValueBucket, ObjectBucket } from '../bus/durable.ts';
import type { Permit } from './permit.ts';

/** Wraps the bucket of values of that name. `watch` throws `forbidden` at once. */
export function createPermittedValues(durable: DurablePlane, permit: Permit, name: string): KeyValueBucket {
  const place = `values.${name}`;
  const inner = (): KeyValueBucket => durable.keyValue(name);
  const checkRead = (): void => permit.checkStorage('read', place);
  const checkWrite = (key: string): void => permit.checkStorage('write', `${place}.${key}`);
  return {
    async get(key) {
      checkRead();
      return await inner().get(key);
    },
    async history(key) {
      checkRead();
      return await inner().history(key);
    },
    async put(key, value, options) {
      checkWrite(key);
      return await inner().put(key, value, options);
    },
    async delete(key) {
      checkWrite(key);
      await inner().delete(key);
    },
    async keys() {
      checkRead();
      return await inner().keys();
    },
    watch(onChange, onReady) {
      checkRead();
      return inner().watch(onChange, onReady);
    },
  };
}

/** Wraps the bucket of objects of that name. `get` throws `forbidden` at once. */
export function createPermittedObjects(durable: DurablePlane, permit: Permit, name: string): ObjectBucket {
  const place = mediaPlace(permit.workspace, name);
  const inner = (): ObjectBucket => durable.objects(name);
  return {
    async put(object, chunks, options) {
      permit.checkStorage('write', place);
      return await inner().put(object, chunks, options);
    },
    async info(object) {
      permit.checkStorage('read', place);
      return await inner().info(object);
    },
    get(object, options) {
      permit.checkStorage('read', place);
      return inner().get(object, options);
    },
    async delete(object) {
      permit.checkStorage('write', place);
      return await inner().delete(object);
    },
    async list() {
      permit.checkStorage('read', place);
      return await inner().list();
    },
  };
}
