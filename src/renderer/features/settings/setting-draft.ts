/** What a typed text means for a setting. Pure. */
import type { SettingValue } from '../../../shared/contract/settings-contract.ts';

export type Draft =
  | { readonly kind: 'unchanged' }
  /** Emptied: back to the default. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'set'; readonly value: string | number }
  | { readonly kind: 'wrong'; readonly message: string };

/** The text of a value in its field; nothing is an empty field. */
export function textOf(value: SettingValue['value']): string {
  return value === null ? '' : String(value);
}

/** Reads a field. Main checks the value itself; here only that a number is one. */
export function readDraft(text: string, { value, isDefault, allowed }: SettingValue, isNumber: boolean): Draft {
  const typed = text.trim();
  if (typed === textOf(value)) return { kind: 'unchanged' };
  if (typed === '') return isDefault ? { kind: 'unchanged' } : { kind: 'reset' };
  if (!isNumber) return { kind: 'set', value: typed };
  return /^-?\d{1,15}$/.test(typed)
    ? { kind: 'set', value: Number(typed) }
    : { kind: 'wrong', message: `Type a whole number: ${allowed}.` };
}
