/** Converts the lines of a run to what checks read and people see. */
import { isList, isObjectValue, type Json, type JsonObject, toStringForm } from '../../check/json/json.ts';
import type { ObservedLine, ObservedLog } from '../../check/observation.ts';
import { LogGapCounter } from './log-gaps.ts';
import { type LogLineFormat, parseLogLine } from './parse-log-line.ts';

/** Removes secrets from a text; when the text was shortened (`…`), also the beginning of one. */
export type RedactFunction = (text: string) => string;

const maxReportedLines = 200;
const maxReportedLength = 4096;
/** Redacting is limited to this length, because 1 MB for each of 200 lines would take seconds. */
const maxRedactedLength = 16 * maxReportedLength;

type ObservedLines = Extract<ObservedLog, { kind: 'lines' }>;

export type LogObserverOptions = {
  /** Undefined where the config has no `logstore`. */
  readonly format: LogLineFormat | undefined;
  /** What every line of the run holds: `tr-<run id>`. */
  readonly runId: string;
  readonly redact: RedactFunction;
  /** When the run began, by the monotonic clock. */
  readonly startMonotonicMs: number;
};

/**
 * For a growing list of lines: each call receives all of them and parses those that are new since the last. Every line is
 * counted; the first 200 are kept, redacted, with up to 4,096 characters each. `isSilent`: the source has given no line yet.
 * `timesMs`: those of a watch.
 */
export function createLogObserver({
  format,
  runId,
  redact,
  startMonotonicMs,
}: LogObserverOptions): (lines: readonly string[], isSilent: boolean, timesMs?: readonly number[]) => ObservedLog {
  const reportedLines: ObservedLine[] = [];
  const gaps = new LogGapCounter(format, runId, redact);
  let counts: Pick<ObservedLines, 'lineCount' | 'errorCount' | 'sagaEventCount'> = {
    lineCount: 0,
    errorCount: 0,
    sagaEventCount: 0,
  };
  return (lines, isSilent, timesMs = []) => {
    for (let index = counts.lineCount; index < lines.length; index += 1) {
      const line = parseLogLine(lines[index] ?? '', format);
      gaps.add(line);
      if (reportedLines.length < maxReportedLines)
        reportedLines.push({ ...redactLine(line, redact), ...toRunTime(timesMs[index], startMonotonicMs) });
      counts = {
        lineCount: index + 1,
        errorCount: counts.errorCount + Number(line.isError),
        sagaEventCount: counts.sagaEventCount + Number(line.isSagaEvent),
      };
    }
    return {
      kind: 'lines',
      lines: [...reportedLines],
      ...counts,
      gaps: gaps.build(isSilent && counts.lineCount === 0),
    };
  };
}

function toRunTime(timeMs: number | undefined, startMonotonicMs: number): Pick<ObservedLine, 'atMs'> {
  return timeMs === undefined ? {} : { atMs: Math.max(0, timeMs - startMonotonicMs) };
}

function redactLine(line: ObservedLine, redact: RedactFunction): ObservedLine {
  return {
    ...line,
    text: redactLineText(line.text, redact),
    fields: redactFields(line.fields, redact),
    level: line.level === undefined ? undefined : redact(line.level),
  };
}

/** Text after the redaction limit may contain half a secret, so nothing from there is displayed. */
function redactLineText(text: string, redact: RedactFunction): string {
  const redacted = redact(truncate(text, maxRedactedLength));
  const reachesCut = text.length > maxRedactedLength && redacted.length <= maxReportedLength;
  return truncate(reachesCut ? redact(text) : redacted, maxReportedLength);
}

/** Ends with `…` when it was cut, and never within a character. */
function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 2);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 2 : length - 1)}…`;
}

function redactFields(fields: JsonObject | undefined, redact: RedactFunction): JsonObject | undefined {
  try {
    return fields && redactObject(fields, redact);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // Nested too deeply.
    throw error;
  }
}

function redactObject(fields: JsonObject, redact: RedactFunction): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [redact(key), redactJson(value, redact)]));
}

/** A number may be a secret too. */
function redactJson(value: Json, redact: RedactFunction): Json {
  if (isList(value)) return value.map((item) => redactJson(item, redact));
  if (isObjectValue(value)) return redactObject(value, redact);
  if (value === null || typeof value === 'boolean') return value;
  const text = toStringForm(value);
  const redacted = redact(text);
  return redacted === text ? value : redacted;
}
