/** Fills `${NAME}` in values of the config from the `.env`. */

import { findSuggestion } from '../../errors/suggestion.ts';
import type { ProblemReporter } from '../problem-reporter.ts';
import { formatDottedKey, getYamlValue, joinPointer, type PlainValue } from '../yaml/yaml-tree.ts';
import type { EnvFile } from './env-file.ts';

/** The `.env` as far as it could be read: `absent` when there is none, `unreadable` when that was already reported. */
export type EnvSource = { readonly file: string; readonly entries: EnvFile | 'absent' | 'unreadable' };

/** A value with the names it used; `isSingleReference` when it is one reference and nothing else. */
export type FilledValue = {
  readonly text: string;
  readonly names: readonly string[];
  readonly isSingleReference: boolean;
};

const referencePattern = /\$\{([^}]*)(\}?)/g;
const namePattern = /^[A-Za-z_]\w*$/;

/** The value of a name; undefined when it has none, after reporting the problem at `pointer`. */
export type LookUpVariable = (name: string, pointer: string) => string | undefined;

/** Every text below `root` with its references filled, by pointer; `scenarios` is skipped, because it lists names. */
export function fillReferences(
  root: PlainValue,
  lookUpVariable: LookUpVariable,
  reporter: ProblemReporter,
): Map<string, FilledValue> {
  const filledValues = new Map<string, FilledValue>();
  const visit = (value: PlainValue, pointer: string): void => {
    if (pointer === '/scenarios' || value === null) return;
    if (typeof value === 'string') filledValues.set(pointer, fillValue(value, pointer, lookUpVariable, reporter));
    else for (const [key, child] of Object.entries(value)) visit(child, joinPointer(pointer, key));
  };
  visit(root, '');
  return filledValues;
}

/** The names that the `.env` must define for this config: those of its references, then those passed to scenarios. */
export function listRequiredNames(root: PlainValue): readonly string[] {
  const names = new Set<string>();
  const visit = (value: PlainValue, pointer: string): void => {
    if (pointer === '/scenarios' || value === null) return;
    if (typeof value !== 'string') {
      for (const [key, child] of Object.entries(value)) visit(child, joinPointer(pointer, key));
      return;
    }
    for (const [, name = '', closingBrace] of value.matchAll(referencePattern))
      if (closingBrace && namePattern.test(name)) names.add(name);
  };
  visit(root, '');
  const variables = getYamlValue(root, '/scenarios/variables');
  for (const name of Array.isArray(variables) ? variables : []) {
    if (typeof name === 'string' && namePattern.test(name)) names.add(name);
  }
  return [...names];
}

/** Looks names up in the `.env`. A missing file is reported once, at the first name that needs it. */
export function createLookUp({ file, entries }: EnvSource, reporter: ProblemReporter): LookUpVariable {
  let isMissingReported = false;
  return (name, pointer) => {
    if (typeof entries === 'string') {
      if (entries === 'unreadable' || isMissingReported) reporter.markWrong(pointer);
      else reporter.report('CONFIG_ENV_MISSING', pointer, { file, key: formatDottedKey(pointer), name });
      isMissingReported = true;
      return undefined;
    }
    const value = entries.get(name)?.value;
    if (value === undefined)
      reporter.report('CONFIG_VARIABLE_UNKNOWN', pointer, { name, file, similar: suggestName(name, entries) });
    else if (value === '') reporter.report('CONFIG_VARIABLE_EMPTY', pointer, { name, file });
    return value || undefined;
  };
}

function suggestName(name: string, entries: EnvFile): string {
  const similarName = findSuggestion(name, entries.keys());
  return similarName === undefined ? '' : `, or did you mean \`${similarName}\`, which is there?`;
}

function fillValue(
  raw: string,
  pointer: string,
  lookUpVariable: LookUpVariable,
  reporter: ProblemReporter,
): FilledValue {
  const names: string[] = [];
  const text = raw.replaceAll(referencePattern, (reference: string, name: string, closingBrace: string) => {
    if (closingBrace === '' || !namePattern.test(name)) {
      reporter.report('CONFIG_REFERENCE_INVALID', pointer, {
        key: formatDottedKey(pointer),
        text: reference,
        reference: '${NAME}',
      });
      return reference;
    }
    names.push(name);
    return lookUpVariable(name, pointer) ?? reference;
  });
  return { text, names, isSingleReference: names.length === 1 && raw === `\${${names[0]}}` };
}
