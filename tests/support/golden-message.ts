/** The golden message of protocol.md §3 as JSON fields, plain and sealed, and the workspace secret that opens it. */

export const goldenSecret = 'super-secret-workspace-key-2026';
export const goldenPayload = '{"command":"cargo build","exit_code":0}';

/** The golden message of protocol.md §3, plain. */
export const plainFields = {
  specversion: '1.0',
  id: '0197a3c0-0000-7000-8000-000000000001',
  source: 'vak://test',
  type: 'vak.work.task',
  time: '2026-01-02T03:04:05.123456789Z',
  datacontenttype: 'application/json',
  data_base64: Buffer.from(goldenPayload).toString('base64'),
  workspaceid: 'ws_123',
  agentid: 'agent_456',
  seqnum: '1',
  prevhash: '0'.repeat(64),
  payloadhash: '1cb55820e73518961335cd72f31447276ffe621c21813ca726099297908d0af6',
};
/** The same, sealed. */
export const sealedFields = {
  ...plainFields,
  datacontenttype: 'application/octet-stream',
  data_base64: Buffer.from(
    '06b0d252a9e5ab6fc9c60ad61d06d5e98e02d4c398288c9b0455f03db39e2168770dc773a46cd940642e5cbadf96787ccfc598bd20afbf',
    'hex',
  ).toString('base64'),
  payloadhash: 'abcb71beb11b6fb25224e1b62f5800f307dae0e924e38bcea22ff475ac122690',
  encalg: 'AES-256-GCM',
  keyid: 'key_v1',
  nonce: '000102030405060708090a0b',
};
