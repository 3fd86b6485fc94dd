import { headers, type Msg } from 'nats';
import { expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import type { NatsAsks } from './nats-asks.ts';
import { checkName, createJetStreamApi, listAll } from './nats-jetstream-api.ts';

/** Answers in their order, whatever is asked; notes what was. */
function answering(answers: readonly (object | string)[], version: string | undefined = '2.9.10') {
  const asked: string[] = [];
  const rest = [...answers];
  const asks = {
    async ask(subject: string, data: Uint8Array) {
      asked.push(`${subject} ${Buffer.from(data)}`);
      const next = rest.shift();
      const text = typeof next === 'string' ? next : JSON.stringify(next);
      return { data: utf8(text) } as Msg;
    },
  } as unknown as NatsAsks;
  return { api: createJetStreamApi({ asks, timeoutMs: 1_000, serverVersion: () => version }), asked };
}

const call = { verb: 'STREAM.INFO.S', where: 'stream S' };

it('B9 an older server is unsupported, and the error says which version is needed', async () => {
  for (const version of ['2.8.4', '2.8.99-beta.1', '1.4.1', '0.0.0', 'x']) {
    const { api, asked } = answering([{}], version);
    await expect(api.call(call), version).rejects.toMatchObject({ code: 'unsupported', details: { needs: '2.9.0' } });
    expect(asked).toEqual([]);
  }
  for (const version of ['2.9.0', '2.9.10', '2.10.0-RC.1', '2.12.1', '3.0.0']) {
    await expect(answering([{ ok: 1 }], version).api.call(call), version).resolves.toEqual({ ok: 1 });
  }
});

it('B10 an answer without its form is corrupt, a refusal is translated, and no text of the server is shown', async () => {
  for (const answer of ['', '[]', 'null', '{', '1', 'secret text']) {
    const failure = answering([answer]).api.call(call);
    await expect(failure).rejects.toMatchObject({ code: 'corrupt' });
    await expect(failure).rejects.not.toThrow(/secret/);
  }
  const refusal = { error: { code: 404, err_code: 10059, description: 'secret text' } };
  await expect(answering([refusal]).api.call(call)).rejects.toMatchObject({ code: 'not-found' });
  await expect(answering([refusal]).api.call(call)).rejects.not.toThrow(/secret/);
  await expect(answering([{ error: { code: 'x' } }]).api.call(call)).rejects.toMatchObject({ code: 'unsupported' });
});

it('B9 nobody there is a server without JetStream', async () => {
  const nobody = { data: new Uint8Array(), headers: headers(503, 'No Responders') } as Msg;
  const asks = { ask: async () => nobody } as unknown as NatsAsks;
  const api = createJetStreamApi({ asks, timeoutMs: 1_000, serverVersion: () => '2.9.10' });
  await expect(api.call(call)).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'jetstream' } });
});

it('B3 a list of many pages is read whole, and one that never fills ends', async () => {
  const page = (names: readonly string[], total: number): object => ({
    streams: names.map((name) => ({ name })),
    total,
  });
  const { api, asked } = answering([page(['a', 'b'], 3), page(['c'], 3)]);
  expect(await listAll(api, call, 'streams')).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  expect(asked.map((one) => one.split(' ')[1])).toEqual(['{"offset":0}', '{"offset":2}']);
  expect(await listAll(answering([page(['a'], 9), page([], 9)]).api, call, 'streams')).toEqual([{ name: 'a' }]);
});

it('S1 no name reaches a subject of the API that could change it', () => {
  for (const name of ['', 'a.b', 'a b', '*', '>', 'a\r\nPUB', 'ä', 'a'.repeat(241)]) {
    expect(() => checkName(name, 'stream'), name).toThrow(/stream: expected/);
  }
  expect(checkName(`VAK_MEDIA_64_${'a'.repeat(64)}_${'b'.repeat(64)}`, 'bucket')).toHaveLength(142);
});
