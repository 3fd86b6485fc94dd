/** Exports what the table shows, or a range of it, into a file; what is being written stands here with its numbers. */
import { FileDown, Square } from 'lucide-react';
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ExportFormat, ExportProgress } from '../../../shared/contract/streams-contract.ts';
import { Button } from '../../ui/button.tsx';
import type { Choice } from '../../ui/choice.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { jumpForms, readJump } from './jump-place.ts';
import { useSoundFilter } from './message-filter-field.tsx';
import type { AnyTable } from './streams-toolbar.tsx';

const formats: readonly Choice<ExportFormat>[] = [
  { id: 'ndjson', title: 'NDJSON' },
  { id: 'csv', title: 'CSV' },
  { id: 'raw', title: 'Raw payloads' },
];

const formatNotes: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'One JSON object a line: place, time, subject, trust, and the message as it came, in base64.',
  csv: 'A table for spreadsheets: place, time, subject, peer, size, trust and a preview. No cell is taken for a formula.',
  raw: 'The opened payload of each message behind its length, in one file. Whoever reads the file reads them.',
};

/** An end of the range as it was typed; undefined: there is none. A text says what is wrong with it. */
function boundOf(text: string): { kind: 'seq'; seq: number } | { kind: 'time'; ms: number } | string | undefined {
  if (text.trim() === '') return undefined;
  const read = readJump(text, Date.now());
  return typeof read === 'string' || read.kind === 'time' ? read : { kind: 'seq', seq: read.seq };
}

function Running({ progress }: { readonly progress: ExportProgress }) {
  const { client } = useWorkbench();
  const { exportId, name, lookedCount, totalCount, writtenCount, writtenBytes } = progress;
  const words = `${formatCount(lookedCount)} of ${formatCount(totalCount)} looked at · ${formatCount(writtenCount)} written · ${formatBytes(writtenBytes)}`;
  return (
    <div className="streams-export" data-testid="export-progress">
      <span className="data">{visibleText(name)}</span>
      <Gauge label={`Export to ${name}`} value={lookedCount} max={Math.max(1, totalCount)} valueText={words} />
      <span>{words}</span>
      <Button icon={Square} onClick={() => void client.streams.cancelExport({ exportId })} data-testid="export-cancel">
        Cancel
      </Button>
    </div>
  );
}

interface ExportFormProps {
  readonly model: AnyTable;
  readonly onClose: () => void;
}

/** What is asked for, and what is wrong with it. */
function useRange() {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [first, last] = [boundOf(from), boundOf(to)];
  return {
    ...{ from, setFrom, to, setTo },
    fromFault: typeof first === 'string' ? first : undefined,
    toFault: typeof last === 'string' ? last : undefined,
    bounds: {
      ...(typeof first === 'object' ? { from: first } : {}),
      ...(typeof last === 'object' ? { to: last } : {}),
    },
  };
}

function RangeFields({ from, setFrom, to, setTo, fromFault, toFault }: ReturnType<typeof useRange>) {
  return (
    <>
      <Field
        label="From"
        isData
        value={from}
        placeholder="the oldest"
        hint={jumpForms}
        error={fromFault}
        onChange={(event) => setFrom(event.target.value)}
        data-testid="export-from"
      />
      <Field
        label="To"
        isData
        value={to}
        placeholder="the newest there is now"
        hint="Both ends are included."
        error={toFault}
        onChange={(event) => setTo(event.target.value)}
        data-testid="export-to"
      />
    </>
  );
}

function ExportForm({ model, onClose }: ExportFormProps) {
  const { client, notify } = useWorkbench();
  const filter = useSoundFilter();
  const running = useSnapshot('streams.exports')?.running ?? [];
  const [format, setFormat] = useState<ExportFormat>('ndjson');
  const [withPayload, setWithPayload] = useState(false);
  const range = useRange();
  const { isBusy, report, run } = useAttempt();
  const stream = model.kind === 'stored' ? (model.stream ?? null) : null;
  const hasFault = range.fromFault !== undefined || range.toFault !== undefined;
  const start = () =>
    run('Export the messages', async () => {
      const pattern = model.kind === 'live' ? model.pattern : undefined;
      const asked = { stream, filter, format, withPayload, ...range.bounds };
      const done = await client.streams.export({ ...asked, ...(pattern === undefined ? {} : { pattern }) });
      const lost =
        done.lostCount === 0 ? '' : `; ${formatCount(done.lostCount)} left the buffer before they were written`;
      notify(`${formatCount(done.count)} messages, ${formatBytes(done.bytes)}, are in ${done.path}${lost}`);
    });
  return (
    <div className="dialog-body">
      <p>
        {stream === null ? 'What the engine heard and still holds' : `What lies in ${visibleText(stream)}`}
        {filter === '' ? '' : ', as far as the filter means it: '}
        {filter !== '' && <span className="data">{visibleText(filter)}</span>}
      </p>
      <ChoiceSwitch label="Form" choices={formats} chosen={format} onChoose={setFormat} testId="export-form" />
      <p className="dim">{formatNotes[format]}</p>
      <RangeFields {...range} />
      {format === 'ndjson' && (
        <label className="streams-export-payload">
          <input
            type="checkbox"
            checked={withPayload}
            onChange={(event) => setWithPayload(event.target.checked)}
            data-testid="export-payload"
          />
          With opened payloads, in base64: whoever reads the file reads them
        </label>
      )}
      {running.map((progress) => (
        <Running key={progress.exportId} progress={progress} />
      ))}
      {report !== undefined && <ErrorNotice report={report} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          icon={FileDown}
          disabledReason={isBusy ? 'it is being written' : hasFault ? 'an end of the range has a fault' : undefined}
          onClick={() => void start()}
          data-testid="export-start"
        >
          Export…
        </Button>
      </DialogActions>
    </div>
  );
}

export function ExportDialog({ isOpen, ...form }: ExportFormProps & { readonly isOpen: boolean }) {
  return (
    <Dialog isOpen={isOpen} onClose={form.onClose} kind="wide" title="Export messages">
      <ExportForm {...form} />
    </Dialog>
  );
}
