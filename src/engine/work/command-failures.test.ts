import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createPlainOutlet } from '../../../tests/support/plain-outlet.ts';
import { realFailures } from '../../../tests/support/real-failures.ts';
import { openWorkPlace } from '../../../tests/support/work-fixture.ts';
import { toText } from '../../shared/base/bytes.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { fingerprintOf } from '../triage/fingerprint.ts';
import { createCommandHandler } from './command-handler.ts';
import { createProcessTable } from './process-table.ts';
import { createWorkerSession } from './worker-session.ts';

const root = mkdtempSync(join(tmpdir(), 'vak-failures-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function openCommandPlace(concurrency: number) {
  const place = await openWorkPlace('embedded');
  const { ports, fabric } = place;
  const sessions = Array.from({ length: concurrency }, (_, at) => {
    const session = `fails${at}-${process.pid}-e`;
    return createWorkerSession({
      ...{
        ...ports,
        outlet: createPlainOutlet(fabric.bus, session),
        table: createProcessTable(),
        peer: 'wilma',
        session,
      },
      ...{ workspace: 'test', groups: { started: () => {}, ended: () => {} }, environment: process.env, cwd: root },
    });
  });
  const { handle } = createCommandHandler({
    ...{ sessions, approvalMs: 60_000, mustAsk: () => false, exec: undefined },
    approvals: { ask: async () => ({ kind: 'expired' }) },
  });
  const worker = await place.startWorker('wilma', { handler: handle, concurrency });
  return {
    ...{ ...place, worker },
    async close(): Promise<void> {
      for (const one of sessions) {
        await one.stop({ reason: 'over', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 0 });
      }
      await place.close();
    },
  };
}

type DeadLetter = PayloadOf<'vak.dlq.failed'>;

test('D1 W6d forty causes of real commands: each dead letter says why, two of one cause are one group, and no two causes are', async () => {
  const causes = realFailures();
  const place = await openCommandPlace(4);
  const names = new Map<string, string>();
  try {
    for (const round of [1, 2]) {
      for (const [at, { name, command }] of causes.entries()) {
        const id = `${round}b${at}f${7 * at + round}e4`;
        const folder = join(root, `run-${id}`);
        mkdirSync(folder);
        names.set(await place.submit({ command: command(id, folder), maxRetries: 0 }), name);
      }
    }
    await expect.poll(place.leftCount, { timeout: 60_000, interval: 100 }).toBe(0);
    const letters = await place.deadLetters();
    expect(letters).toHaveLength(2 * causes.length);
    const groups = new Map<string, string[]>();
    for (const letter of letters) {
      const { id } = fingerprintOf(letter);
      groups.set(id, [...(groups.get(id) ?? []), names.get(letter.envelopeId ?? '') ?? '?']);
    }
    const wrong = [...groups.values()].filter((group) => group.length !== 2 || group[0] !== group[1]);
    expect(wrong).toEqual([]);
    const isSilent = ({ envelopeId }: DeadLetter): boolean =>
      /nothing said|ends itself/.test(names.get(envelopeId ?? '') ?? '');
    for (const letter of letters) {
      const { reason, stack, history, envelopeId } = letter;
      const said = [names.get(envelopeId ?? ''), reason, stack];
      if (isSilent(letter)) expect([reason, stack], `${said}`).toEqual([expect.stringMatching(/^[^:]+$/), undefined]);
      else
        expect([reason, stack], `${said}`).toEqual([expect.stringMatching(/^exit code \d+: \S/), expect.any(String)]);
      expect(history.at(-1)?.reason).toBe(reason);
    }
  } finally {
    await place.close();
  }
}, 120_000);

test('W6d E8 of a sealed task nothing that its command said lies anywhere in clear, and no log has it', async () => {
  const place = await openCommandPlace(1);
  try {
    await place.submit({ command: ['sh', '-c', 'echo "no row for Mrs Canary" >&2; exit 3'], maxRetries: 0 });
    await expect.poll(place.leftCount, { timeout: 20_000, interval: 50 }).toBe(0);
    expect(await place.deadLetters()).toMatchObject([
      { reason: 'exit code 3: no row for Mrs Canary', stack: 'no row for Mrs Canary', errorClass: 'exit.3' },
    ]);
    expect(await place.receipts()).toMatchObject([
      { receipt: { stack: 'no row for Mrs Canary', session: expect.stringMatching(/^fails0-/) } },
    ]);
    expect(place.worker.events).toMatchObject([{ kind: 'claimed' }, { kind: 'buried', reason: 'exit code 3' }]);
    for (const stream of ['VAK_DLQ_acme', 'VAK_RECEIPTS_acme']) {
      const { messages } = await place.fabric.durable.stream(stream).read({ limit: 10 });
      expect(messages).toHaveLength(1);
      for (const { data } of messages) {
        const text = toText(data);
        expect(text).not.toContain('Canary');
        expect(toText(Buffer.from(JSON.parse(text).data_base64, 'base64'))).not.toContain('Canary');
      }
    }
  } finally {
    await place.close();
  }
});
