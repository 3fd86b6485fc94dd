import { expect, it } from 'vitest';
import { headerIn, placeOf, storedInAnswer } from './nats-stored-message.ts';

it('B4 the place of a delivery is read, of servers without and with a domain', () => {
  const place = {
    ...{ stream: 'S', deliveryCount: 2, streamSeq: 7, consumerSeq: 9, storedMs: 1_796_003_904_748, pendingCount: 3 },
  };
  expect(placeOf('$JS.ACK.S.c.2.7.9.1796003904748445853.3')).toEqual(place);
  expect(placeOf('$JS.ACK.hub.ACC.S.c.2.7.9.1796003904748445853.3')).toEqual(place);
  expect(placeOf('$JS.ACK._.ACC.S.c.2.7.9.1796003904748445853.3.rnd')).toEqual(place);
  for (const reply of [undefined, '', '_INBOX.a', '$JS.ACK', '$JS.ACK.S.c.2', '$JS.FC.S.c.x.1.2.3.4']) {
    expect(placeOf(reply), reply).toBeUndefined();
  }
});

it('B3 a message that was read by number keeps its bytes, time and id', () => {
  const message = {
    ...{ subject: 's', seq: 3, data: 'AP8=', time: '2026-11-30T01:58:24.748445853Z' },
    hdrs: Buffer.from('NATS/1.0\r\nOther: Nats-Msg-Id: no\r\nnats-msg-id: id-1\r\n\r\n').toString('base64'),
  };
  expect(storedInAnswer({ message }, 'S').stored).toEqual({
    ...{
      stream: 'S',
      seq: 3,
      subject: 's',
      data: Uint8Array.of(0, 255),
      storedMs: 1_796_003_904_748,
      messageId: 'id-1',
    },
  });
  for (const bad of [{}, { ...message, seq: 0 }, { ...message, time: 'x' }]) {
    expect(() => storedInAnswer({ message: bad }, 'S')).toThrow(/stream S/);
  }
  expect(headerIn('NATS/1.0\r\n\r\n', 'Nats-Msg-Id')).toBeUndefined();
});
