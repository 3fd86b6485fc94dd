import { describe, expect, it } from 'vitest';
import { testFacts, testSummary } from './test-words.ts';

const server = { name: 'n1', version: '2.9.10' };

describe('what a test found', () => {
  it('says round trip, server and the limits of JetStream', () => {
    const jetStream = { memoryBytes: -1, storageBytes: 10 * 1024 ** 3 };
    expect(testFacts({ rttMs: 4, server, jetStream, missing: [] })).toEqual([
      ['Round trip', '4\u00a0ms'],
      ['Server', 'n1 2.9.10'],
      ['JetStream', 'memory no limit · storage 10.0\u00a0GiB'],
    ]);
  });

  it('tells a limit that is not told from none and from no JetStream at all', () => {
    const jetStream = { memoryBytes: null, storageBytes: 0 };
    expect(testFacts({ rttMs: 4, server, jetStream, missing: [] })[2]).toEqual([
      'JetStream',
      'memory not told · storage 0\u00a0B',
    ]);
    expect(testFacts({ rttMs: 4, server, jetStream: null, missing: [] })[2]).toEqual([
      'JetStream',
      'not enabled for this account',
    ]);
    expect(testFacts({ rttMs: 0.1, server: null, jetStream: null, missing: [] })).toHaveLength(2);
  });

  it('counts what is missing', () => {
    const missing = [{ feature: 'durable queues', needs: 'JetStream' }];
    expect(testSummary({ missing: [] })).toContain('everything');
    expect(testSummary({ missing })).toContain('1 feature is missing');
    expect(testSummary({ missing: [...missing, ...missing] })).toContain('2 features are missing');
  });
});
