/** What the program of the kill test writes: each value says which one it is, so that a part of one, or a mixture, shows. */

/** Prefix of a line, and what it tells: with a capital letter that it is acknowledged, with a small one that it is begun. */
export type FabricEvent =
  | {
      readonly kind: 'append';
      readonly isDone: boolean;
      readonly stream: string;
      readonly id: string;
      readonly seq: number;
    }
  | { readonly kind: 'deliver'; readonly stream: string; readonly seq: number }
  | { readonly kind: 'ack'; readonly isDone: boolean; readonly stream: string; readonly seq: number }
  | {
      readonly kind: 'value';
      readonly isDone: boolean;
      readonly key: string;
      readonly serial: number;
      readonly revision: number;
    }
  | { readonly kind: 'object'; readonly isDone: boolean; readonly name: string; readonly serial: number };

/** Streams of the kill test: of the first, messages stay; of the second, acknowledged ones go. */
export const killedStreams = {
  kept: { name: 'VAK_RECEIPTS_ws', subject: 'vak.receipts.ws.s.completed' },
  work: { name: 'VAK_WORK_ws', subject: 'vak.work.ws.q.task' },
} as const;

export const killedBucket = 'VAK_STATE_ws';
export const killedObjects = 'VAK_MEDIA_2_ws_p';
export const killedConsumer = 'c';
/** So long a delivered message waits for its ack. */
export const killedAckWaitMs = 300;

/** Bytes that belong to a serial, at least eight: the serial, then what follows from it and from the place. */
export function contentOf(serial: number, sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 8; at < sizeBytes; at++) bytes[at] = (serial * 31 + (at >> 8) * 7 + at) & 0xff;
  new DataView(bytes.buffer).setFloat64(0, serial);
  return bytes;
}

/** The serial of whole content, or −1 if it is damaged. */
export function serialOf(bytes: Uint8Array): number {
  if (bytes.length < 8) return -1;
  const serial = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat64(0);
  return Buffer.compare(contentOf(serial, bytes.length), bytes) === 0 ? serial : -1;
}

/** Size of a value, and of an object, of a serial. */
export const valueSizeOf = (serial: number): number => 20 + ((serial * 7919) % 30_000);
export const objectSizeOf = (serial: number): number => 100_000 + ((serial * 7919) % 37) * 80_000;
