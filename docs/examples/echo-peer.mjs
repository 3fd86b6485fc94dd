// @ts-check against the types of the package
// Submits tasks, works on them, and prints their receipts: node docs/examples/echo-peer.mjs [NATS_URL [PROFILE]]
// It needs a server with the workspace's streams (vak provision), and a profile that holds the workspace's root (vak id new) whose
// passphrase stands in the file that VAK_PASSPHRASE_FILE names.
import { connect } from 'vak-workbench';

const [natsUrl = 'nats://127.0.0.1:4222', profile] = process.argv.slice(2);

// Who works on tasks may not submit any: two peers, which need not live in one process.
const boss = await connect({ natsUrl, profile, identity: 'echo-boss', roles: ['coordinator'] });
const peer = await connect({ natsUrl, profile, identity: 'echo-peer', roles: ['worker'], queues: ['echo'] });
try {
  await peer.queue('echo').work(
    (task, { attempt, signal }) => {
      signal.throwIfAborted();
      return { echo: task.input, attempt };
    },
    { concurrency: 2 },
  );
  const queue = boss.queue('echo');
  const tasks = await Promise.all(['hello', 'world'].map((word) => queue.submit({ input: { word } })));
  for (const task of tasks) {
    const outcome = await queue.wait(task, { signal: AbortSignal.timeout(60_000) });
    console.log(outcome.kind, task.id, JSON.stringify(outcome.receipts));
  }
} finally {
  await peer.close();
  await boss.close();
}
