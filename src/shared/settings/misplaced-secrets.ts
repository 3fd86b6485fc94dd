/**
 * Secrets in a settings file (product.md "Configuration").
 * Law: they are found under any key, known or not, by name and by form, however deep.
 */
import { isSecretName, secretShapeOf } from './secret-shape.ts';
import { settingRows } from './setting-keys.ts';
import { fieldsOf, maxProblems, misplacedProblem, type SettingsProblem } from './settings-problem.ts';

interface Found {
  readonly key: string;
  readonly value: unknown;
}

function children({ key, value }: Found): Found[] {
  // Deeper than any setting: the place is named by what leads there.
  const below = (name: string): string => (key.length > 200 ? key : key === '' ? name : `${key}.${name}`);
  if (Array.isArray(value)) return value.map((item: unknown, index) => ({ key: below(String(index)), value: item }));
  return [...(fieldsOf(value) ?? [])].map(([name, item]) => ({ key: below(name), value: item }));
}

/** What of secrets stands anywhere in a parsed file, under known and unknown keys. */
export function misplacedSecrets(root: unknown, secretVariable: string): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const known = new Set(settingRows.map(({ key }) => key));
  const waiting: Found[] = [{ key: '', value: root }];
  for (let one = waiting.pop(); one !== undefined && problems.length < maxProblems; one = waiting.pop()) {
    const { key, value } = one;
    const name = key.slice(key.lastIndexOf('.') + 1);
    const isEmpty = value === null || value === '' || value === undefined;
    const isNamed = isSecretName(name) || isSecretName(key) || (name === secretVariable && !known.has(key));
    const shape = typeof value === 'string' ? secretShapeOf(value) : undefined;
    if (isNamed && !isEmpty && key !== '') problems.push(misplacedProblem(key, 'a secret'));
    else if (shape !== undefined) problems.push(misplacedProblem(key, shape));
    else if (secretShapeOf(name) !== undefined) problems.push(misplacedProblem(key, 'a secret as its name'));
    else waiting.push(...children(one).reverse());
  }
  return problems;
}
