/** Log and database evidence → their parts of the report, bounded for people. */
import { stringForm } from '../check/bounded.ts';
import type { Json, ObservedLine } from '../check/observed.ts';
import type { LogEvidence, QueryEvidence } from '../run/evidence.ts';
import { shortened } from './excerpt.ts';
import type { ReportLog, ReportQuery } from './report.ts';

/** Lines and rows told at most, and the length of one of their texts. */
export const toldAtMost = { lines: 200, lineLength: 4096, rows: 100, valueLength: 1000 } as const;

const noLines = { line_count: 0, error_count: 0, saga_event_count: 0, lines: [] };

/** The log's part. */
export function logOf({ observed, waitedMs }: LogEvidence): ReportLog {
  const waited_ms = roundedMs(waitedMs);
  if (observed.kind === 'unavailable') {
    return { ...noLines, problem: observed.problem, cure: observed.cure, waited_ms };
  }
  const { lines, lineCount, errorCount, sagaEventCount } = observed;
  const counts = { line_count: lineCount, error_count: errorCount, saga_event_count: sagaEventCount };
  const told = lines.slice(0, toldAtMost.lines).map(lineOf);
  return { ...counts, lines: told, problem: null, cure: null, waited_ms };
}

function lineOf({ text, level, isError, isSagaEvent }: ObservedLine): ReportLog['lines'][number] {
  return {
    text: shortened(text, toldAtMost.lineLength),
    level: level ?? null,
    error: isError,
    saga_event: isSagaEvent,
  };
}

/** A query's part. */
export function queryOf({ name, sql, line, observed, durationMs }: QueryEvidence): ReportQuery {
  const told = { name, line, sql, duration_ms: roundedMs(durationMs) };
  if (observed.kind === 'unavailable') {
    const { problem, cure } = observed;
    return { ...told, columns: [], rows: [], row_count: 0, truncated: false, problem, cure };
  }
  const { columns, rows, rowCount, more } = observed;
  const truncated = more || rows.length > toldAtMost.rows;
  const shown = rows.slice(0, toldAtMost.rows).map((row) => row.map(cellOf));
  return { ...told, columns: [...columns], rows: shown, row_count: rowCount, truncated, problem: null, cure: null };
}

function cellOf(value: Json): string | null {
  return value === null ? null : shortened(stringForm(value), toldAtMost.valueLength);
}

function roundedMs(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}
