/** A run with its report, as it is read from the store. */
import type { RunDocument } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import { parseRunId } from '../../run/run-id.ts';
import {
  findEndedRunDocument,
  findRun,
  findRunDocument,
  type RunDocumentRow,
  type RunRow,
} from '../../store/control/runs/runs.ts';
import { parseTexts } from '../../store/json-column.ts';
import type { Sql } from '../../store/sql.ts';
import { toRun } from '../wire.ts';
import { fromStoredReport } from './report-storage.ts';

/** Throws RUN_UNKNOWN. */
export function requireRun(sql: Sql, runId: string): RunRow {
  const row = findRun(sql, parseRunId(runId) ?? -1);
  if (row) return row;
  throw vpError('RUN_UNKNOWN', { run: runId });
}

/** Throws RUN_UNKNOWN. */
export function getRunDocument(sql: Sql, runId: string): RunDocument {
  const row = findRunDocument(sql, parseRunId(runId) ?? -1);
  if (!row) throw vpError('RUN_UNKNOWN', { run: runId });
  return toRunDocument(row);
}

/**
 * The same for a run that has most likely ended. It is a single statement then, which on PostgreSQL travels with the commit of the end
 * (leases/executor-port.ts).
 */
export function getEndedRunDocument(sql: Sql, runId: string): RunDocument {
  const row = findEndedRunDocument(sql, parseRunId(runId) ?? -1);
  return row ? toRunDocument(row) : getRunDocument(sql, runId);
}

function toRunDocument(row: RunDocumentRow): RunDocument {
  const { report, body, late_report: lateReport, text } = row;
  return {
    ...toRun(row),
    report: report === null ? null : fromStoredReport({ report, body }, row),
    late_report: lateReport === null ? null : fromStoredReport({ report: lateReport, body: null }),
    scenario_text: text || null,
    ...(row.links === null ? {} : { links: parseTexts(row.links) }),
    report_expired: row.report_expired === 1,
  };
}

/** Throws RUN_UNKNOWN and REPORT_ABSENT. */
export function getStoredReport(sql: Sql, runId: string): Report {
  const document = getRunDocument(sql, runId);
  if (document.report) return document.report;
  const reason = document.report_expired ? 'it has expired' : `the run is ${document.state}`;
  throw vpError('REPORT_ABSENT', { run: runId, reason });
}
