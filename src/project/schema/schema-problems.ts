/** Reports the violations of the published schema in our own words, each at its position. */

import { findSuggestion } from '../../errors/suggestion.ts';
import type { ProblemReporter } from '../problem-reporter.ts';
import { type SchemaError, validate } from '../validator.generated.js';
import { formatDottedKey, getYamlValue, joinPointer, type PlainValue } from '../yaml/yaml-tree.ts';
import type { MisspelledKey } from './correct-keys.ts';
import {
  findSchemaNode,
  formatExample,
  formatExampleBelow,
  listKnownPointers,
  listRequiredLeaves,
} from './schema-walk.ts';

export function reportMisspelledKey({ pointer, parent, name }: MisspelledKey, reporter: ProblemReporter): void {
  const nearest = formatDottedKey(pointer.slice(parent.length));
  reporter.report(
    'CONFIG_KEY_MISSPELLED',
    pointer,
    { key: formatDottedKey(joinPointer(parent, name)), nearest },
    'key',
  );
}

/**
 * Validates `config` against the schema. Leaves of `notRequired` may be missing; values already reported as wrong are
 * not reported again. Problems show the values of `written`, which has references where `config` has what they stand for:
 * any of them may be a secret.
 */
export function reportSchemaProblems(
  config: PlainValue,
  written: PlainValue,
  notRequired: ReadonlySet<string>,
  reporter: ProblemReporter,
): void {
  if (validate(config)) return;
  for (const error of validate.errors ?? []) {
    const pointer = error.instancePath;
    if (error.keyword === 'required' || error.keyword === 'dependencies') reportMissing(error, notRequired, reporter);
    else if (error.keyword === 'additionalProperties')
      reportUnknownKey(pointer, getParam(error, 'additionalProperty'), reporter);
    else if (!reporter.isWrong(pointer)) reportValue(pointer, getYamlValue(written, pointer), error.keyword, reporter);
  }
}

function getParam(error: SchemaError, name: string): string {
  return String(error.params[name]);
}

/** A missing section is reported as the keys it requires, so that one pass reports everything. */
function reportMissing(error: SchemaError, notRequired: ReadonlySet<string>, reporter: ProblemReporter): void {
  const parent = error.instancePath;
  const cause = error.keyword === 'dependencies' ? `, and \`${getParam(error, 'property')}\` needs it` : '';
  for (const leaf of listRequiredLeaves(joinPointer(parent, getParam(error, 'missingProperty')))) {
    if (notRequired.has(leaf)) continue;
    const values = { key: formatDottedKey(leaf), because: cause, example: formatExampleBelow(parent, leaf) };
    reporter.report('CONFIG_KEY_MISSING', parent, values, 'key');
  }
}

function reportUnknownKey(parent: string, name: string, reporter: ProblemReporter): void {
  const pointer = joinPointer(parent, name);
  const key = formatDottedKey(pointer);
  const knownKeys = Object.keys(findSchemaNode(parent)?.properties ?? {});
  const nearest = findSuggestion(name, knownKeys) ?? findKeyElsewhere(name);
  if (nearest === undefined)
    reporter.report('CONFIG_KEY_UNKNOWN', pointer, { key, known: knownKeys.join(', ') }, 'key');
  else reporter.report('CONFIG_KEY_MISSPELLED', pointer, { key, nearest }, 'key');
}

let knownPointers: readonly string[] | undefined;

/** The only pointer where a key of this name is allowed, or required, as when `base_url` is at the top level. */
function findKeyElsewhere(name: string): string | undefined {
  knownPointers ??= listKnownPointers();
  const pointers = knownPointers.filter((pointer) => pointer.endsWith(`/${name}`));
  const required = new Set(listRequiredLeaves(''));
  const [only, ...others] = pointers.length === 1 ? pointers : pointers.filter((pointer) => required.has(pointer));
  return only !== undefined && others.length === 0 ? formatDottedKey(only) : undefined;
}

function reportValue(pointer: string, value: PlainValue | undefined, keyword: string, reporter: ProblemReporter): void {
  const key = pointer === '' ? 'the file' : formatDottedKey(pointer);
  const example = pointer === '' ? formatExampleBelow('', '/project/name') : formatExample(toListPointer(pointer));
  if (value === null || value === undefined || (typeof value === 'string' && value.trim() === '')) {
    reporter.report('CONFIG_VALUE_EMPTY', pointer, { key, example });
  } else if (keyword === 'type') {
    const [expected, actual] = [describeExpected(pointer), describeKind(value)];
    reporter.report('CONFIG_VALUE_TYPE', pointer, { key, expected, actual, example });
  } else if (keyword === 'enum') {
    reporter.report('CONFIG_VALUE_UNSUPPORTED', pointer, { key, value: abbreviate(value), supported: example });
  } else {
    reporter.report('CONFIG_VALUE_INVALID', pointer, { key, problem: describeShape(pointer, value), example });
  }
}

function describeShape(pointer: string, value: PlainValue): string {
  if (typeof value !== 'string') return 'a list that is too long';
  return `\`${abbreviate(value)}\`, not ${findSchemaNode(pointer)?.title ?? 'what it should be'}`;
}

/** List items are reported with an example of their list: `variables: [TENANT]`. */
function toListPointer(pointer: string): string {
  return pointer.replace(/\/\d+$/, '');
}

function describeExpected(pointer: string): string {
  const node = findSchemaNode(pointer);
  if (node?.properties) return 'a section with keys';
  return node?.type === 'array' ? 'a list' : 'text';
}

function describeKind(value: PlainValue): string {
  if (typeof value === 'string') return 'text';
  return Array.isArray(value) ? 'a list' : 'a section with keys';
}

function abbreviate(value: PlainValue): string {
  const text = typeof value === 'string' ? value : describeKind(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
