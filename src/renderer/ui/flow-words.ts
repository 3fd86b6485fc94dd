/** What each count of the flow counts: unit and source, everywhere in the same words. Pure. */
export const meanings = {
  in: 'Messages per second that the engine receives from the bus, of all subjects',
  out: 'Messages per second that the engine sends to this window, as rows and sessions that are shown',
  received: 'Messages that the engine has received from the bus since it started',
  receivedBytes: 'Bytes of the messages that the engine has received from the bus since it started',
  dropped:
    'Messages dropped since the engine started: by a subscription that was too slow for the bus, for want of a connection to send them, or from the buffer before this window had taken them',
  lag: 'Tasks of all queues that wait or are under way',
  workIn: 'Tasks per second that came into all queues over the last minute',
  workOut: 'Tasks per second that ended over the last minute, whatever came of them',
  workDone: 'Tasks that a worker says are done, in a signed receipt, as far as this app remembers them',
  workDead: 'Tasks that failed for good and have a dead letter, as far as this app remembers them',
  workLost: 'Tasks that are gone without a receipt that counts and without a dead letter',
  approvals: 'Requests that a peer waits for an operator’s answer to',
  refused: 'Messages since the engine started that broke the workspace’s policy and are never handled',
  buffer: 'What the engine holds of the messages on the bus, in MiB of its bound; the oldest give way',
  main: 'The app’s main process: share of one processor core over the last second, and resident memory',
  rowsReceived: 'Messages that this table was sent since its filter was opened, by the engine’s buffer',
  rowsMissed:
    'Messages that left the engine’s buffer before this table was sent them, since its filter was opened; each place is marked in the table',
} as const;
