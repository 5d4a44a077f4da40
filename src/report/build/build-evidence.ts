/** Log and database evidence → their parts of the report, bounded for people. */
import { type Json, toStringForm } from '../../check/json/json.ts';
import type { LogGaps, ObservedLine } from '../../check/observation.ts';
import type { LogEvidence, QueryEvidence } from '../../run/evidence.ts';
import { truncateText } from '../body-excerpt.ts';
import type { ReportLog, ReportQuery } from '../report.ts';

/** Numbers of lines and rows, and lengths of their texts in UTF-16 units. */
const evidenceLimits = { lines: 200, lineLength: 4096, rows: 100, valueLength: 1000 } as const;

const noLines = { line_count: 0, error_count: 0, saga_event_count: 0, lines: [] };

export function toReportLog({ observed, waitedMs }: LogEvidence): ReportLog {
  const waited_ms = roundMs(waitedMs);
  if (observed.kind === 'unavailable') {
    return { ...noLines, problem: observed.problem, cure: observed.cure, waited_ms };
  }
  const { lines, lineCount, errorCount, sagaEventCount, gaps, processStartedAtMs, image } = observed;
  const counts = { line_count: lineCount, error_count: errorCount, saga_event_count: sagaEventCount };
  const reported = lines.slice(0, evidenceLimits.lines).map(toReportLine);
  const started =
    processStartedAtMs === undefined ? {} : { process_started_at: new Date(processStartedAtMs).toISOString() };
  return {
    ...counts,
    lines: reported,
    problem: null,
    cure: null,
    ...toReportGaps(gaps, lineCount),
    ...started,
    ...(image === undefined ? {} : { image }),
    waited_ms,
  };
}

/** Without a line there is nothing that could be unknown or unseen. */
function toReportGaps({ errors, unseen }: LogGaps, lineCount: number): Pick<ReportLog, 'errors_unknown' | 'unseen'> {
  if (lineCount === 0) return {};
  return {
    ...(errors === undefined ? {} : { errors_unknown: { problem: errors.problem, cure: errors.cure } }),
    ...(unseen.length === 0 ? {} : { unseen: unseen.map(({ member, field }) => ({ member, field })) }),
  };
}

function toReportLine({ text, level, isError, isSagaEvent, atMs }: ObservedLine): ReportLog['lines'][number] {
  return {
    text: truncateText(text, evidenceLimits.lineLength),
    level: level ?? null,
    error: isError,
    saga_event: isSagaEvent,
    ...toReportTime(atMs),
  };
}

export function toReportQuery({ name, sql, line, observed, atMs, durationMs }: QueryEvidence): ReportQuery {
  const common = { name, line, sql, ...toReportTime(atMs), duration_ms: roundMs(durationMs) };
  if (observed.kind === 'unavailable') {
    const { problem, cure } = observed;
    return { ...common, columns: [], rows: [], row_count: 0, truncated: false, problem, cure };
  }
  const { columns, rows, rowCount, more } = observed;
  const truncated = more || rows.length > evidenceLimits.rows;
  const cells = rows.slice(0, evidenceLimits.rows).map((row) => row.map(toCell));
  return { ...common, columns: [...columns], rows: cells, row_count: rowCount, truncated, problem: null, cure: null };
}

function toReportTime(atMs: number | undefined): { at_ms?: number } {
  return atMs === undefined ? {} : { at_ms: roundMs(atMs) };
}

function toCell(value: Json): string | null {
  return value === null ? null : truncateText(toStringForm(value), evidenceLimits.valueLength);
}

function roundMs(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}
