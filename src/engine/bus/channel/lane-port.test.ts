import { expect, it } from 'vitest';
import { openSerialPair } from '../../../../tests/support/channel-pair.ts';
import { createLanePort } from './lane-port.ts';

async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function openLanes() {
  const { peer, host } = openSerialPair();
  const heard: string[] = [];
  const ends = [1, 2].flatMap((lane) => [
    { name: `host ${lane}`, port: createLanePort(host, lane) },
    { name: `peer ${lane}`, port: createLanePort(peer, lane) },
  ]);
  for (const { name, port } of ends) {
    port.onMessage((value) => heard.push(`${name} hears ${JSON.stringify(value)}`));
    port.onClose(() => heard.push(`${name} is closed`));
  }
  const [host1, peer1, host2, peer2] = ends.map(({ port }) => port);
  if (!host1 || !peer1 || !host2 || !peer2) throw new Error('four ends');
  return { peer, host, heard, host1, peer1, host2, peer2 };
}

it('B8 what is said on one lane is heard on it alone, in order, both ways', async () => {
  const { host1, peer1, peer2, heard, peer } = openLanes();
  host1.post({ n: 1 });
  host1.post({ n: 2 });
  peer2.post('two');
  peer1.post('one');
  for (const value of [null, { kind: 'lane' }, { kind: 'lane', lane: 1 }, { kind: 'lane', lane: 'x', value: 1 }])
    peer.post(value);
  await settle();
  expect(heard.toSorted()).toEqual([
    'host 1 hears "one"',
    'host 2 hears "two"',
    'peer 1 hears {"n":1}',
    'peer 1 hears {"n":2}',
  ]);
  expect(heard.indexOf('peer 1 hears {"n":1}')).toBeLessThan(heard.indexOf('peer 1 hears {"n":2}'));
});

it('B8 a lane that one end closes is closed at both, once and for good; the other lanes go on', async () => {
  const { host1, peer1, host2, heard } = openLanes();
  peer1.post('before');
  host1.close();
  host1.close();
  peer1.post('after');
  host1.post('after');
  host2.post('still');
  await settle();
  expect(heard.toSorted()).toEqual(['host 1 is closed', 'peer 1 is closed', 'peer 2 hears "still"']);
  peer1.post('late');
  await settle();
  expect(heard).toHaveLength(3);
});

it('B8 when the channel closes so do its lanes', async () => {
  const { peer, heard } = openLanes();
  peer.close();
  await settle();
  expect(heard.toSorted()).toEqual(['host 1', 'host 2', 'peer 1', 'peer 2'].map((name) => `${name} is closed`));
});
