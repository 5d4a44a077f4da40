/** Small makers of evidence, for tests of checks of the database and the log. */
import { judgeCheck } from '../../src/check/kinds.ts';
import type { Json, JsonObject, Observed, ObservedLine, ObservedQuery } from '../../src/check/observed.ts';
import type { Outcome } from '../../src/check/outcome.ts';
import { check } from './samples.ts';

/** The answer of a query: a record for each row, all with the same columns. */
export function rows(records: readonly JsonObject[], more = false): ObservedQuery {
  const columns = Object.keys(records[0] ?? {});
  const values = records.map((record) => columns.map((column): Json => record[column] ?? null));
  return { kind: 'rows', columns, rows: values, rowCount: records.length, more };
}

/** What became of a run whose queries gave this. */
export function seenInDatabase(queries: Readonly<Record<string, ObservedQuery>>): Observed {
  return { status: 200, body: { kind: 'empty' }, database: new Map(Object.entries(queries)) };
}

/** A line of the log with these fields; text where it is none. */
export function line(fields: JsonObject | string, marks: Partial<ObservedLine> = {}): ObservedLine {
  const text = typeof fields === 'string' ? fields : JSON.stringify(fields);
  const own = typeof fields === 'string' ? undefined : fields;
  return { text, fields: own, level: undefined, isError: false, isSagaEvent: false, ...marks };
}

/** What became of a run with these lines. */
export function seenInLog(lines: readonly ObservedLine[], lineCount = lines.length): Observed {
  const errorCount = lines.filter(({ isError }) => isError).length;
  const sagaEventCount = lines.filter(({ isSagaEvent }) => isSagaEvent).length;
  const log = { kind: 'lines', lines, lineCount, errorCount, sagaEventCount } as const;
  return { status: 200, body: { kind: 'empty' }, log };
}

/** The outcome of the check `text`. */
export function judgedOn(observed: Observed, text: string): Outcome {
  return judgeCheck(check(text), observed);
}
