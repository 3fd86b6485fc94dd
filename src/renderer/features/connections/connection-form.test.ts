import { describe, expect, it } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import { errorAtField, fieldsOf, readConnectionForm } from './connection-form.ts';

const fields = {
  name: ' prod ',
  kind: 'remote',
  url: 'tls://a:4222, tls://b:4222,',
  colour: 'red',
  isReadOnly: true,
} as const;

describe('a connection that is added', () => {
  it('is what the fields say, its servers without spaces', () => {
    expect(readConnectionForm(fields, ['embedded'])).toEqual({
      kind: 'ready',
      input: { name: 'prod', kind: 'remote', url: 'tls://a:4222,tls://b:4222', colour: 'red', isReadOnly: true },
    });
  });

  it('has no server if the app starts one', () => {
    expect(readConnectionForm({ ...fields, kind: 'managed' }, [])).toMatchObject({ input: { url: null } });
  });

  it('needs a name that would not write over another, and a server', () => {
    expect(readConnectionForm({ ...fields, name: ' ', url: ' , ' }, [])).toEqual({
      kind: 'wrong',
      errors: { name: expect.stringContaining('name'), url: expect.stringContaining('server') },
    });
    expect(readConnectionForm({ ...fields, name: 'prod eu!' }, [])).toMatchObject({
      errors: { name: expect.stringContaining('digits') },
    });
    expect(readConnectionForm(fields, ['prod'])).toMatchObject({
      errors: { name: expect.stringContaining('already') },
    });
  });

  it('begins as the context that is changed', () => {
    const context = {
      name: 'm',
      kind: 'managed',
      url: null,
      colour: 'green',
      isReadOnly: false,
      credentials: 'none',
    } as const;
    expect(fieldsOf(context)).toEqual({ name: 'm', kind: 'managed', url: '', colour: 'green', isReadOnly: false });
    expect(fieldsOf(undefined)).toMatchObject({ name: '', kind: 'remote', isReadOnly: false });
  });
});

describe('an error of the engine', () => {
  const added = { kind: 'remote', isNew: true } as const;
  const wrong = (field: string) => new VakError('invalid-input', 'found text of 4', { details: { field } });

  it.each([
    ['url', 'url'],
    ['contexts.prod.url', 'url'],
    ['contexts.prod.readOnly', 'isReadOnly'],
    ['name', 'name'],
  ])('of %s stands at %s', (field, place) => {
    expect(errorAtField(wrong(field), added)).toEqual({ [place]: 'found text of 4' });
  });

  it('does not say the name of its field twice', () => {
    const error = new VakError('invalid-input', 'contexts.a.url: found text', { details: { field: 'contexts.a.url' } });
    expect(errorAtField(error, added)).toEqual({ url: 'found text' });
  });

  it('of a field that is not shown stands at none', () => {
    expect(errorAtField(wrong('name'), { kind: 'remote', isNew: false })).toBeUndefined();
    expect(errorAtField(wrong('url'), { kind: 'managed', isNew: true })).toBeUndefined();
    expect(errorAtField(wrong('colour'), { kind: 'managed', isNew: false })).toBeDefined();
  });

  it('that names no field stands at none', () => {
    expect(errorAtField(wrong('somewhere'), added)).toBeUndefined();
    expect(errorAtField(new VakError('disk-full', 'no room'), added)).toBeUndefined();
    expect(errorAtField(new Error('url'), added)).toBeUndefined();
  });
});
