/** Lines of a log → what format they have, and what the config says about it. */

import { resolveField } from '../check/json/field-path.ts';
import { formatFieldPath } from '../check/json/format-field-path.ts';
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from '../check/json/json.ts';
import { parseField } from '../check/json/parse-field-path.ts';
import { parseLogLine } from '../logs/lines/parse-log-line.ts';

/** `errorMatch` is for `error_match`; `seen` are values of the level field. */
export type LogLevelGuess = { readonly field: string; readonly seen: readonly string[]; readonly errorMatch: string };

export type LogGuess = {
  readonly format: 'json' | 'text' | 'empty';
  readonly lines: number;
  readonly jsonLines: number;
  readonly level: LogLevelGuess | undefined;
};

const levelFields = ['level', 'severity', 'log.level', 'levelname', 'loglevel', 'log_level', 'lvl', '@level', '@l'];
const levelNames =
  /^(?:trace|debug|verbose|silly|http|info|information|notice|warn|warning|error|err|fatal|critical|crit|panic|alert|emerg)$/i;
const errorNames = ['error', 'err', 'fatal', 'critical', 'crit', 'panic', 'alert', 'emerg'];
/** Numeric levels of pino and bunyan: 10 trace to 60 fatal. */
const numericLevel = /^[1-6]\d$/;
const maxSeenLevels = 8;

/** JSON where most lines are JSON objects: frameworks print a few plain lines when they start. */
export function guessLogFormat(lines: readonly string[]): LogGuess {
  const relevant = lines.filter((line) => line.trim() !== '');
  const objects = relevant.map(parseFields).filter((fields) => fields !== undefined);
  const isJson = objects.length > 0 && objects.length * 2 >= relevant.length;
  return {
    format: relevant.length === 0 ? 'empty' : isJson ? 'json' : 'text',
    lines: relevant.length,
    jsonLines: objects.length,
    level: isJson ? guessLevel(objects) : undefined,
  };
}

/** True for a JSON line with that field: only such lines say whether they are errors. */
export function hasLevelField(line: string, field: string): boolean {
  const fields = parseFields(line);
  return fields !== undefined && readField(fields, field) !== undefined;
}

/** The field of a JSON line that holds `text`: the one that equals it, else one that contains it. */
export function findFieldContaining(line: string, text: string): string | undefined {
  const fields = parseFields(line);
  if (!fields) return undefined;
  const leaves = listLeaves(fields, [], []);
  const leaf = leaves.find(({ value }) => value === text) ?? leaves.find(({ value }) => value.includes(text));
  const [key] = leaf?.steps ?? [];
  return leaf?.steps.length === 1 ? key : leaf && formatFieldPath(fields, leaf.steps, leaf.isIndex);
}

function parseFields(line: string): JsonObject | undefined {
  return parseLogLine(line, { levelField: 'level', errorMatch: undefined, sagaEvent: undefined }).fields;
}

function guessLevel(objects: readonly JsonObject[]): LogLevelGuess | undefined {
  for (const field of levelFields) {
    const values = objects.flatMap((fields) => readField(fields, field) ?? []);
    if (values.length * 2 < objects.length) continue;
    const seen = [...new Set(values)].slice(0, maxSeenLevels).sort();
    if (seen.every((value) => numericLevel.test(value))) return { field, seen, errorMatch: '50|60' };
    if (seen.every((value) => levelNames.test(value))) return { field, seen, errorMatch: matchErrors(seen) };
  }
  return undefined;
}

/** The names of errors in the case that the log uses. */
function matchErrors(seen: readonly string[]): string {
  const isUpper = seen.every((name) => name === name.toUpperCase());
  const isCapital = seen.every((name) => /^[A-Z][a-z]/.test(name));
  const names = isUpper
    ? errorNames.map((name) => name.toUpperCase())
    : errorNames.map((name) => (isCapital ? name.charAt(0).toUpperCase() + name.slice(1) : name));
  return names.join('|');
}

function readField(fields: JsonObject, field: string): string | undefined {
  const path = parseField(field);
  const value = Object.hasOwn(fields, field) || 'problem' in path ? fields[field] : resolveField(fields, path)?.value;
  return value === undefined || value === null || typeof value === 'object' ? undefined : toStringForm(value);
}

type Leaf = { readonly steps: readonly string[]; readonly isIndex: readonly boolean[]; readonly value: string };

function listLeaves(value: Json, steps: readonly string[], isIndex: readonly boolean[]): Leaf[] {
  if (typeof value === 'string') return [{ steps, isIndex, value }];
  const entries = isList(value) ? [...value.entries()] : isObjectValue(value) ? Object.entries(value) : [];
  return entries.flatMap(([key, child]) => listLeaves(child, [...steps, String(key)], [...isIndex, isList(value)]));
}
