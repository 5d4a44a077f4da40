/** The lines of a run → what checks look at and what people read. */
import { isList, isObject, stringForm } from '../check/bounded.ts';
import type { Json, JsonObject, ObservedLine, ObservedLog } from '../check/observed.ts';
import { type LineReading, readRunLine } from './read-run-line.ts';

/** Takes secrets out of a text; where the text was shortened (`…`), also the beginning of one. */
export type Redact = (text: string) => string;

const shownLines = 200;
const shownLength = 4096;
/** What is redacted to show `shownLength`: 1 MB for each of 200 lines would take seconds. */
const redactedLength = 16 * shownLength;

type Lines = Extract<ObservedLog, { kind: 'lines' }>;

/** Every line is counted; the first 200 are kept, without secrets, their text up to 4,096 characters. */
export function observedLog(lines: readonly string[], options: LineReading, redact: Redact): ObservedLog {
  return logObserver(options, redact)(lines);
}

/** `observedLog` for lines that grow: each call gets all of them, and reads those that are new since the last. */
export function logObserver(options: LineReading, redact: Redact): (lines: readonly string[]) => ObservedLog {
  const kept: ObservedLine[] = [];
  let seen: Omit<Lines, 'kind' | 'lines'> = { lineCount: 0, errorCount: 0, sagaEventCount: 0 };
  return (lines) => {
    for (let at = seen.lineCount; at < lines.length; at += 1) {
      const line = readRunLine(lines[at] ?? '', options);
      if (kept.length < shownLines) kept.push(withoutSecrets(line, redact));
      seen = {
        lineCount: at + 1,
        errorCount: seen.errorCount + Number(line.isError),
        sagaEventCount: seen.sagaEventCount + Number(line.isSagaEvent),
      };
    }
    return { kind: 'lines', lines: [...kept], ...seen };
  };
}

function withoutSecrets(line: ObservedLine, redact: Redact): ObservedLine {
  return {
    ...line,
    text: shownText(line.text, redact),
    fields: fieldsWithout(line.fields, redact),
    level: line.level === undefined ? undefined : redact(line.level),
  };
}

/** Behind the place where it was cut for redacting, half a secret may stand: nothing from there is shown. */
function shownText(text: string, redact: Redact): string {
  const shown = redact(cut(text, redactedLength));
  const reachesCut = text.length > redactedLength && shown.length <= shownLength;
  return cut(reachesCut ? redact(text) : shown, shownLength);
}

/** Ends with `…` where it was cut, and never with half a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 2);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 2 : length - 1)}…`;
}

function fieldsWithout(fields: JsonObject | undefined, redact: Redact): JsonObject | undefined {
  try {
    return fields && objectWithout(fields, redact);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // Nested too deeply.
    throw error;
  }
}

function objectWithout(fields: JsonObject, redact: Redact): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [redact(key), valueWithout(value, redact)]));
}

/** A number, too, may be a secret. */
function valueWithout(value: Json, redact: Redact): Json {
  if (isList(value)) return value.map((one) => valueWithout(one, redact));
  if (isObject(value)) return objectWithout(value, redact);
  if (value === null || typeof value === 'boolean') return value;
  const text = stringForm(value);
  const shown = redact(text);
  return shown === text ? value : shown;
}
