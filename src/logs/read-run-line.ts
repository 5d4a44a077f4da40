/** The text of a line of the target's log → what checks look at, by the words of the config's `logstore`. */
import { stripVTControlCharacters } from 'node:util';
import { isObject, stringForm } from '../check/bounded.ts';
import { resolve } from '../check/field-path.ts';
import type { Json, JsonObject, ObservedLine } from '../check/observed.ts';
import { parseField } from '../check/parse-field.ts';
import { readJson } from '../check/read-json.ts';
import type { Pattern } from '../pattern/pattern.ts';

/** How lines are read; the `LogStore` of a project's config is one. A field is a key, or names joined by dots. */
export type LineReading = {
  readonly levelField: string;
  /** Tests the whole level, as text. */
  readonly errorMatch: Pick<Pattern, 'test'> | undefined;
  readonly sagaEvent: { readonly field: string; readonly value: string } | undefined;
};

/**
 * The line with all its text, but without what would steer a terminal (colours; `docker compose logs` writes them into pipes,
 * too). A line that holds no JSON object is a line too, without fields.
 */
export function readRunLine(written: string, options: LineReading): ObservedLine {
  const text = withoutControls(written);
  const fields = objectIn(text);
  const { levelField, errorMatch, sagaEvent } = options;
  const level = fields && formAt(fields, levelField);
  const saga = fields && sagaEvent ? formAt(fields, sagaEvent.field) : undefined;
  return {
    text,
    fields,
    level,
    isError: level !== undefined && errorMatch?.test(level) === true,
    isSagaEvent: saga !== undefined && saga === sagaEvent?.value,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controls = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;

function withoutControls(text: string): string {
  return text.search(controls) === -1 ? text : stripVTControlCharacters(text).replaceAll(controls, '\ufffd');
}

/** What stands before the object (a container's name, a moment) may have a brace too, but hardly more. */
const attempts = 4;

/** The JSON object with which the line ends. */
function objectIn(text: string): JsonObject | undefined {
  if (!text.trimEnd().endsWith('}')) return undefined;
  let start = text.indexOf('{');
  for (let attempt = 0; attempt < attempts && start !== -1; attempt += 1) {
    const found = jsonOf(text.slice(start));
    if (found !== undefined) return isObject(found) ? found : undefined;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

function jsonOf(text: string): Json | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The string form of a field's value, by which values are compared; undefined where there is none, or null. */
function formAt(fields: JsonObject, field: string): string | undefined {
  const value = valueAt(fields, field);
  return value === undefined || value === null ? undefined : stringForm(value);
}

function valueAt(fields: JsonObject, field: string): Json | undefined {
  if (Object.hasOwn(fields, field)) return fields[field];
  const path = parseField(field);
  return 'problem' in path ? undefined : resolve(fields, path)?.value;
}
