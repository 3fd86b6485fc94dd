import { expect, it } from 'vitest';
import { isKeyAlias, keyAliasesOf } from './key-aliases.ts';
import { rowOf } from './setting-keys.ts';

it('E7 an alias is a key id and the id of one secret; the last sign parts them', () => {
  expect(keyAliasesOf('key_v1=s1, urn:x=2=env')).toEqual(
    new Map([
      ['key_v1', 's1'],
      ['urn:x=2', 'env'],
    ]),
  );
  expect(keyAliasesOf(null)).toEqual(new Map());
  const wrong = ['', '=s1', 'key_v1', 'key_v1=', 'key_v1=a b', 'key v1=s1', `${'k'.repeat(193)}=s1`];
  expect(wrong.filter(isKeyAlias)).toEqual([]);
  expect(isKeyAlias(`${'k'.repeat(192)}=s1`)).toBe(true);
});

it('E7 the setting takes no alias twice, and none that is none', () => {
  const row = rowOf('keyAliases');
  expect(['key_v1=s1', 'a=s1,b=s1'].map((text) => row?.accepts(text))).toEqual([true, true]);
  expect(['', 'a=s1,a=s1', 'a=s1,b'].map((text) => row?.accepts(text))).toEqual([false, false, false]);
});
