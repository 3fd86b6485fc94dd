import { describe, expect, it } from 'vitest';
import type { StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import { pauseGauge } from './pause-gauge.ts';

const status: StreamsStatus = {
  receivedCount: 1000,
  receivedBytes: 100_000,
  bufferedCount: 1000,
  bufferedBytes: 100_000,
  capacityCount: 2000,
  capacityBytes: 1_000_000,
  oldestSeq: 1,
  newestSeq: 1000,
  inPerSecond: 100,
  outPerSecond: 0,
  droppedCount: 0,
};

describe('pause gauge', () => {
  it('counts what came since the pause against the tighter bound', () => {
    expect(pauseGauge(status, { seq: 500, receivedBytes: 50_000 })).toEqual({
      waitingCount: 500,
      waitingBytes: 50_000,
      fill: 0.25,
      lostCount: 0,
      lossInMs: 15_000,
    });
    const small = pauseGauge({ ...status, capacityBytes: 100_000 }, { seq: 500, receivedBytes: 50_000 });
    expect([small.fill, small.lossInMs]).toEqual([0.5, 5000]);
  });

  it('says what is lost once the buffer has moved past the pause', () => {
    const gauge = pauseGauge({ ...status, oldestSeq: 521 }, { seq: 500, receivedBytes: 50_000 });
    expect(gauge).toMatchObject({ lostCount: 20, fill: 1, lossInMs: null });
  });

  it('is empty right at the pause and foresees nothing when nothing comes', () => {
    const gauge = pauseGauge({ ...status, inPerSecond: 0 }, { seq: 1000, receivedBytes: 100_000 });
    expect(gauge).toEqual({ waitingCount: 0, waitingBytes: 0, fill: 0, lostCount: 0, lossInMs: null });
  });
});
