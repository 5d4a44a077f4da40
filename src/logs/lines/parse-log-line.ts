/** Parses a line of the target's log according to the config's `logstore`. */
import { stripVTControlCharacters } from 'node:util';
import { resolveField } from '../../check/json/field-path.ts';
import { isObjectValue, type Json, type JsonObject, toStringForm } from '../../check/json/json.ts';
import { parseField } from '../../check/json/parse-field-path.ts';
import { readJson } from '../../check/json/read-json.ts';
import type { ObservedLine } from '../../check/observation.ts';
import type { Pattern } from '../../pattern/pattern.ts';

/** How lines are parsed; the `LogStoreConfig` of a project is one. A field is a key, or names joined by dots. */
export type LogLineFormat = {
  /** Undefined where the config does not name it: no level is known then. */
  readonly levelField: string | undefined;
  /** Tests the whole level, as text. */
  readonly errorMatch: Pick<Pattern, 'test'> | undefined;
  readonly sagaEvent: { readonly field: string; readonly value: string } | undefined;
  /** Where the target writes the run's id. Lines are found by the id wherever it stands (spec); this is only compared. */
  readonly correlationField?: string | undefined;
};

/**
 * The complete text without terminal control sequences (colours; `docker compose logs` writes them into pipes, too). A
 * line without a JSON object is valid and has no fields.
 */
export function parseLogLine(rawLine: string, options: LogLineFormat | undefined): ObservedLine {
  const text = replaceControls(rawLine);
  const fields = findTrailingObject(text);
  const { levelField, errorMatch, sagaEvent } = options ?? {};
  const level = fields && levelField !== undefined ? getFieldText(fields, levelField) : undefined;
  const saga = fields && sagaEvent ? getFieldText(fields, sagaEvent.field) : undefined;
  return {
    text,
    fields,
    level,
    isError: level !== undefined && errorMatch?.test(level) === true,
    isSagaEvent: saga !== undefined && saga === sagaEvent?.value,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controlCharacters = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;

function replaceControls(text: string): string {
  return text.search(controlCharacters) === -1
    ? text
    : stripVTControlCharacters(text).replaceAll(controlCharacters, '\ufffd');
}

/** The prefix of the object (a container's name, a timestamp) may contain a brace too, but hardly more than this. */
const maxAttempts = 4;

/** The JSON object at the end of the line. */
function findTrailingObject(text: string): JsonObject | undefined {
  if (!text.trimEnd().endsWith('}')) return undefined;
  let start = text.indexOf('{');
  for (let attempt = 0; attempt < maxAttempts && start !== -1; attempt += 1) {
    const value = tryParseJson(text.slice(start));
    if (value !== undefined) return isObjectValue(value) ? value : undefined;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

function tryParseJson(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The string form of a field's value, which is used for comparison; undefined when it is absent or null. */
export function getFieldText(fields: JsonObject, field: string): string | undefined {
  const value = getField(fields, field);
  return value === undefined || value === null ? undefined : toStringForm(value);
}

export function getField(fields: JsonObject, field: string): Json | undefined {
  if (Object.hasOwn(fields, field)) return fields[field];
  const path = parseField(field);
  return 'problem' in path ? undefined : resolveField(fields, path)?.value;
}
