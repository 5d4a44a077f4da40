/** What the published schema finds wrong, in words of ours, each at its place. */

import { suggestion } from '../errors/suggestion.ts';
import type { Ledger } from './ledger.ts';
import { exampleBelow, exampleOf, knownPointers, nodeAt, requiredLeaves } from './schema-walk.ts';
import { type SchemaError, validate } from './validator.generated.js';
import { dottedOf, type Plain, pointerOf, valueAt } from './yaml-tree.ts';

/**
 * Holds `config` against the schema. Leaves of `notRequired` may be missing; what the ledger has as wrong already is not
 * told again.
 */
export function tellSchemaProblems(config: Plain, notRequired: ReadonlySet<string>, ledger: Ledger): void {
  if (validate(config)) return;
  for (const error of validate.errors ?? []) {
    const at = error.instancePath;
    if (error.keyword === 'required' || error.keyword === 'dependencies') tellMissing(error, notRequired, ledger);
    else if (error.keyword === 'additionalProperties') tellUnknownKey(at, param(error, 'additionalProperty'), ledger);
    else if (!ledger.isWrong(at)) tellValue(at, valueAt(config, at), error.keyword, ledger);
  }
}

function param(error: SchemaError, name: string): string {
  return String(error.params[name]);
}

/** A missing section is told as the keys it must hold, so that one pass tells everything. */
function tellMissing(error: SchemaError, notRequired: ReadonlySet<string>, ledger: Ledger): void {
  const parent = error.instancePath;
  const cause = error.keyword === 'dependencies' ? `, and \`${param(error, 'property')}\` needs it` : '';
  for (const leaf of requiredLeaves(pointerOf(parent, param(error, 'missingProperty')))) {
    if (notRequired.has(leaf)) continue;
    const values = { key: dottedOf(leaf), because: cause, example: exampleBelow(parent, leaf) };
    ledger.tell('CONFIG_KEY_MISSING', parent, values, 'key');
  }
}

function tellUnknownKey(parent: string, name: string, ledger: Ledger): void {
  const pointer = pointerOf(parent, name);
  const key = dottedOf(pointer);
  const known = Object.keys(nodeAt(parent)?.properties ?? {});
  const nearest = suggestion(name, known) ?? elsewhere(name);
  if (nearest === undefined) ledger.tell('CONFIG_KEY_UNKNOWN', pointer, { key, known: known.join(', ') }, 'key');
  else ledger.tell('CONFIG_KEY_MISSPELLED', pointer, { key, nearest }, 'key');
}

/** The one place where a key of this name belongs, as when `base_url` stands at the top. */
function elsewhere(name: string): string | undefined {
  const places = knownPointers().filter((pointer) => pointer.endsWith(`/${name}`));
  return places.length === 1 && places[0] ? dottedOf(places[0]) : undefined;
}

function tellValue(pointer: string, value: Plain | undefined, keyword: string, ledger: Ledger): void {
  const key = pointer === '' ? 'the file' : dottedOf(pointer);
  const example = pointer === '' ? exampleBelow('', '/project/name') : exampleOf(patternOf(pointer));
  if (value === null || value === undefined || (typeof value === 'string' && value.trim() === '')) {
    ledger.tell('CONFIG_VALUE_EMPTY', pointer, { key, example });
  } else if (keyword === 'type') {
    const [expected, actual] = [expectedKind(pointer), kindOf(value)];
    ledger.tell('CONFIG_VALUE_TYPE', pointer, { key, expected, actual, example });
  } else if (keyword === 'enum') {
    ledger.tell('CONFIG_VALUE_UNSUPPORTED', pointer, { key, value: short(value), supported: example });
  } else {
    ledger.tell('CONFIG_VALUE_INVALID', pointer, { key, problem: problemOfShape(pointer, value), example });
  }
}

function problemOfShape(pointer: string, value: Plain): string {
  if (typeof value !== 'string') return 'too long a list';
  return `\`${short(value)}\`, not ${nodeAt(pointer)?.title ?? 'what it should be'}`;
}

/** Items of a list are shown with their list: `variables: [TENANT]`. */
function patternOf(pointer: string): string {
  return pointer.replace(/\/\d+$/, '');
}

function expectedKind(pointer: string): string {
  const node = nodeAt(pointer);
  if (node?.properties) return 'a section with keys';
  return node?.type === 'array' ? 'a list' : 'text';
}

function kindOf(value: Plain): string {
  if (typeof value === 'string') return 'text';
  return Array.isArray(value) ? 'a list' : 'a section with keys';
}

function short(value: Plain): string {
  const text = typeof value === 'string' ? value : kindOf(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
