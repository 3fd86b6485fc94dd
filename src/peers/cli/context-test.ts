/** `vak context test`: whether a connection works, and what its server can do. */
import { type ConnectionReport, testConnection } from '../../engine/connections/test-connection.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { withBus } from './bus-connection.ts';
import { type Command, exitCodes } from './command.ts';
import { contextNeed, serverNeed } from './example-needs.ts';
import { withProfile } from './profile.ts';

function durableText({ durable }: ConnectionReport): string {
  if (durable.kind === 'off') return `off, needs ${durable.needs}`;
  if (durable.kind === 'unknown') return `unknown: ${durable.error.message}`;
  const { streamCount, messageCount, bytes, reservedBytes } = durable;
  const limit = reservedBytes === null ? 'without bound' : `of ${reservedBytes} at most`;
  return `on, ${streamCount} streams, ${messageCount} messages, ${bytes} bytes ${limit}`;
}

function reportText(label: string, report: ConnectionReport): string {
  const { rttMs, server, maxMessageBytes, missing } = report;
  const rows: [string, string][] = [
    ['connection', label],
    ['server', server === null ? '–' : `${visibleText(server.name)}, version ${visibleText(server.version)}`],
    ['round trip', `${rttMs.toFixed(1)} ms`],
    ['message', `${maxMessageBytes} bytes at most`],
    ['JetStream', durableText(report)],
    ...missing.map(({ feature, needs }): [string, string] => ['missing', `${feature}: needs ${needs}`]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)}  ${value}`).join('\n');
}

export const contextTest: Command = {
  words: ['context', 'test'],
  changes: 'nothing',
  args: ['[NAME]'],
  options: {},
  summary: 'Tries a connection: round trip, version of the server, JetStream, what is missing. Changes nothing.',
  notes: `Without NAME that of --context or --nats-url, else the current one. Prints {connection, kind, rttMs, server: {name, version},
maxMessageBytes, durable: {kind: on|off|unknown, …}, missing: [{feature, needs}]}. Exit code 3 if it cannot be reached, 1 if the
server refuses the credentials.`,
  needs: `${contextNeed}; ${serverNeed}`,
  example: 'vak context test prod\nvak context test --nats-url nats://127.0.0.1:4222 --json',
  async run({ args: [name], common }, host) {
    if (name !== undefined && (common.context !== undefined || common.connection.natsUrl !== undefined)) {
      throw new VakError('invalid-input', 'NAME, --context, --nats-url: give one of them');
    }
    const asked = name === undefined ? common : { ...common, context: name };
    return await withProfile(asked, host, (profile) =>
      withBus({ common: asked, profile, host }, async (fabric, { label }) => {
        const report = await testConnection(fabric, host.signal);
        host.output.data({ connection: label, ...report }, reportText(label, report));
        return exitCodes.done;
      }),
    );
  },
};
