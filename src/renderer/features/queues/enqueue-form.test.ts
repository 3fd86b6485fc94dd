import { describe, expect, it } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import { workTaskPayload } from '../../../shared/protocol/payloads.ts';
import { draftOf, fieldsOfDraft } from './enqueue-draft.ts';
import { type EnqueueFields, emptyFields, errorAtField, readEnqueueForm } from './enqueue-form.ts';
import { enqueueTemplates } from './enqueue-templates.ts';

const fields = (more: Partial<EnqueueFields> = {}): EnqueueFields => ({
  ...emptyFields,
  queue: 'render',
  line: 'echo hi',
  ...more,
});

describe('the task of a form', () => {
  it('is a command line for the shell, and holds only what was given', () => {
    expect(readEnqueueForm(fields())).toEqual({
      kind: 'ready',
      queue: 'render',
      task: { command: ['/bin/sh', '-c', 'echo hi'] },
    });
  });

  it('has every field that was given', () => {
    const form = readEnqueueForm(
      fields({
        queue: ' render ',
        cwd: ' /srv ',
        env: 'A=1\n\n  B = two = 2 \nEMPTY=',
        timeoutSeconds: '1.5',
        maxRetries: '0',
        approval: ' Ask me ',
      }),
    );
    expect(form).toMatchObject({
      kind: 'ready',
      queue: 'render',
      task: {
        cwd: '/srv',
        env: { A: '1', B: ' two = 2 ', EMPTY: '' },
        timeoutMs: 1500,
        maxRetries: 0,
        approval: { title: 'Ask me' },
      },
    });
  });

  it('is an input instead, of any JSON, null included', () => {
    const form = readEnqueueForm(fields({ kind: 'input', input: 'null' }));
    expect(form).toEqual({ kind: 'ready', queue: 'render', task: { input: null } });
  });

  it.each([
    [{ queue: '' }, 'queue', 'Choose a queue'],
    [{ queue: 'a.b' }, 'queue', 'Letters, digits'],
    [{ line: ' \n' }, 'line', 'Type a command line'],
    [{ kind: 'input' as const, input: '' }, 'input', 'Type the JSON'],
    [{ kind: 'input' as const, input: '{' }, 'input', 'input'],
    [{ kind: 'input' as const, input: '{"id":9007199254740993}' }, 'input', 'input.id: the number has more digits'],
    [{ cwd: 'srv' }, 'cwd', 'whole path'],
    [{ env: 'A=1\nB' }, 'env', 'Line 2: B has no value'],
    [{ env: '1A=1' }, 'env', 'Line 1: begin it with a name'],
    [{ env: 'A=1\nA=2' }, 'env', 'Line 2: A stands there twice'],
    [{ timeoutSeconds: '0' }, 'timeoutSeconds', 'Give seconds'],
    [{ timeoutSeconds: 'soon' }, 'timeoutSeconds', 'Give seconds'],
    [{ line: 'x'.repeat(131_073) }, 'line', 'at most 131\u202f072 (128.0\u00a0KiB): put it into a script'],
    [{ kind: 'input', input: `"${'x'.repeat(600_000)}"` }, 'input', 'at most 512.0\u00a0KiB are taken'],
    [{ maxRetries: '1.5' }, 'maxRetries', 'whole number'],
    [{ maxRetries: '101' }, 'maxRetries', 'whole number'],
  ] as const)('%j is refused at %s', (more, field, message) => {
    const form = readEnqueueForm(fields(more));
    expect(form.kind === 'wrong' ? form.errors : {}).toEqual({ [field]: expect.stringContaining(message) });
  });

  it.each(enqueueTemplates.map((template) => [template.id, template] as const))(
    'template %s is a task as the protocol has it',
    (_id, template) => {
      const form = readEnqueueForm({ ...template.fields, queue: 'render' });
      expect(form.kind).toBe('ready');
      if (form.kind === 'ready') expect(workTaskPayload.safeParse(form.task).success).toBe(true);
    },
  );
});

describe('an error of the engine', () => {
  it.each([
    [
      'invalid-input',
      'queues.enqueue: task.cwd: it is longer than 300 characters; shorten it',
      undefined,
      { cwd: 'It is longer than 300 characters; shorten it.' },
    ],
    ['invalid-payload', 'task: env.PATH: expected a text', undefined, { env: 'Expected a text.' }],
    ['invalid-subject', 'queue: expected 1–64', 'queue', { queue: 'Expected 1–64.' }],
    [
      'conflict',
      'maxRetries: queue render allows 3 retries',
      'maxRetries',
      { maxRetries: 'Queue render allows 3 retries.' },
    ],
    [
      'limit-exceeded',
      'task: 600000 bytes, at most 524288 are taken',
      'task',
      { line: '600000 bytes, at most 524288 are taken.' },
    ],
  ] as const)('%s %s stands at its field', (code, message, field, expected) => {
    const error = new VakError(code, message, field === undefined ? {} : { details: { field } });
    expect(errorAtField(error, 'command')).toEqual(expected);
  });

  it('that names no field of the form stands by itself', () => {
    expect(errorAtField(new VakError('disconnected', 'enqueue: there is no connection'), 'command')).toBeUndefined();
    expect(errorAtField(new VakError('conflict', 'render: made otherwise'), 'command')).toBeUndefined();
    expect(errorAtField(new Error('queue: x'), 'command')).toBeUndefined();
  });
});

describe('a draft', () => {
  it('comes back as it was, but for the values of variables', () => {
    const typed = fields({ kind: 'input', input: '{"a":1}', env: 'TOKEN=hunter2\nB=1', approval: 'Ask' });
    const kept = draftOf(typed);
    expect(kept).not.toContain('hunter2');
    expect(fieldsOfDraft(kept)).toEqual({ ...typed, env: 'TOKEN\nB' });
  });

  it('a name without its value is refused until it has one', () => {
    const restored = fieldsOfDraft(draftOf(fields({ env: 'TOKEN=hunter2' }))) ?? emptyFields;
    expect(readEnqueueForm(restored)).toMatchObject({ kind: 'wrong', errors: { env: /TOKEN has no value/ } });
  });

  it('nothing typed is no draft, and what cannot be read is none', () => {
    expect(draftOf({ ...emptyFields, queue: 'render' })).toBe('');
    for (const text of [undefined, '', '{', 'null', '7']) expect(fieldsOfDraft(text)).toBeUndefined();
    expect(fieldsOfDraft('{"line":7,"kind":"odd","cwd":"/srv"}')).toEqual({ ...emptyFields, cwd: '/srv' });
  });
});
