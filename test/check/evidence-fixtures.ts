/** Fixtures for tests of checks of the database and the log. */

import type { CheckOutcome } from '../../src/check/check-kind.ts';
import type { Json, JsonObject } from '../../src/check/json/json.ts';
import {
  emptyObservation,
  type LogGaps,
  type Observation,
  type ObservedLine,
  type ObservedQueryResult,
} from '../../src/check/observation.ts';
import { judgeCheck, parseValid } from './check-fixtures.ts';

/** `records`: one for each row, all with the same columns. */
export function rows(records: readonly JsonObject[], more = false): ObservedQueryResult {
  const columns = Object.keys(records[0] ?? {});
  const values = records.map((record) => columns.map((column): Json => record[column] ?? null));
  return { kind: 'rows', columns, rows: values, rowCount: records.length, more };
}

export function observeDatabase(queries: Readonly<Record<string, ObservedQueryResult>>): Observation {
  return { ...emptyObservation, database: new Map(Object.entries(queries)) };
}

/** `fields`: a text for a line that is not JSON. */
export function line(fields: JsonObject | string, marks: Partial<ObservedLine> = {}): ObservedLine {
  const text = typeof fields === 'string' ? fields : JSON.stringify(fields);
  const jsonFields = typeof fields === 'string' ? undefined : fields;
  return { text, fields: jsonFields, level: undefined, isError: false, isSagaEvent: false, ...marks };
}

export const noGaps: LogGaps = { unseen: [] };

export function observeLog(
  lines: readonly ObservedLine[],
  lineCount = lines.length,
  gaps: LogGaps = noGaps,
): Observation {
  const errorCount = lines.filter(({ isError }) => isError).length;
  const sagaEventCount = lines.filter(({ isSagaEvent }) => isSagaEvent).length;
  const log = { kind: 'lines', lines, lineCount, errorCount, sagaEventCount, gaps } as const;
  return { ...emptyObservation, log };
}

export function judgeOn(observed: Observation, text: string): CheckOutcome {
  return judgeCheck(parseValid(text), observed);
}
