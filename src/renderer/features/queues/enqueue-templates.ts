/** Tasks to begin with: each does something real, and shows one way in which a task goes. */
import { type EnqueueFields, emptyFields } from './enqueue-form.ts';

export interface EnqueueTemplate {
  readonly id: string;
  readonly title: string;
  /** All but the queue. */
  readonly fields: Omit<EnqueueFields, 'queue'>;
}

const { queue: _chosen, ...blank } = emptyFields;

export const enqueueTemplates: readonly EnqueueTemplate[] = [
  {
    id: 'machine',
    title: 'Report the machine',
    fields: { ...blank, line: 'uname -a; uptime; df -h .', timeoutSeconds: '30' },
  },
  {
    id: 'count',
    title: 'Count to ten',
    fields: { ...blank, line: 'for i in 1 2 3 4 5 6 7 8 9 10; do echo "step $i of 10"; sleep 1; done' },
  },
  {
    id: 'fail',
    title: 'Fail with exit code 3',
    fields: { ...blank, line: 'echo "no such texture" >&2; exit 3', maxRetries: '1' },
  },
  {
    id: 'timeout',
    title: 'Run into the timeout',
    fields: { ...blank, line: 'echo "waiting for what never comes"; sleep 3600', timeoutSeconds: '5', maxRetries: '0' },
  },
  {
    id: 'approval',
    title: 'Ask before it runs',
    fields: {
      ...blank,
      line: 'rm -rf /tmp/vak-scratch',
      approval: 'Remove the scratch folder of this machine',
    },
  },
  {
    id: 'input',
    title: 'JSON for a handler',
    fields: { ...blank, kind: 'input', input: '{\n  "do": "resize",\n  "width": 1024\n}' },
  },
];
