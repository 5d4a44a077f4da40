/** The target's log lines of a run, which both roles read. */
import type { ReportLog } from '../../report/report.ts';
import { counted, cut, fitting } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import type { AgentPorts } from '../ports.ts';
import type { ToolAnswer, ToolContext } from '../tool.ts';
import { ownRun } from './own-run.ts';

/** Lines told at once, all their text, and the text of one. */
const most = { lines: 50, all: 10_000, line: 2000 } as const;

/** What is read. */
export type LogsWanted = {
  readonly run_id: string;
  readonly offset?: number | undefined;
  readonly errors_only?: boolean | undefined;
};

/** A piece of the lines that the executor found by the run's correlation id. */
export async function runLogs(
  ports: AgentPorts,
  context: ToolContext,
  { run_id, offset = 0, errors_only = false }: LogsWanted,
): Promise<ToolAnswer> {
  const run = await ownRun(ports, context, run_id);
  const log = (run.report ?? run.late_report)?.log ?? null;
  if (!log) return noLog(run_id, run.correlation_id, whyNoLog(run.report !== null, run.report_expired, run.state));
  const chosen = log.lines.filter(({ error }) => error || !errors_only);
  const bounded = chosen
    .slice(offset, offset + most.lines)
    .map((line) => ({ ...line, text: cut(line.text, most.line) }));
  const lines = fitting(bounded, most.all);
  const next = offset + lines.length < chosen.length ? offset + lines.length : null;
  const text = linesOf(
    `${counted(log.line_count, 'line')} of run ${run_id}: ${counted(log.error_count, 'error')}, ${counted(log.saga_event_count, 'saga event')}`,
    ...lines.map(({ text: line, level }) => (level === null ? line : `[${level}] ${line}`)),
    next !== null && `There are more: call again with offset ${next}.`,
    log.line_count > log.lines.length && `The report keeps the first ${log.lines.length} lines.`,
    ...troubleOf(log),
  );
  const { line_count, error_count, saga_event_count, problem, cure, waited_ms } = log;
  const counts = { line_count, error_count, saga_event_count, kept: log.lines.length, waited_ms };
  return { text, data: { run_id, ...counts, lines, next_offset: next, problem, cure } };
}

/** Why there are no lines, and what to do. */
export function troubleOf({ problem, cure }: Pick<ReportLog, 'problem' | 'cure'>): string[] {
  return problem === null ? [] : [`No lines: ${problem}.`, `Cure: ${cure ?? ''}.`];
}

function whyNoLog(hasReport: boolean, isExpired: boolean, state: string): readonly [problem: string, cure: string] {
  if (isExpired) return ['the report has expired, and its lines with it', 'request the run again'];
  if (!hasReport) return [`the run is ${state} and has no report`, 'wait for its end, then ask again'];
  const cure = 'a person sets `observability.logstore` and connects the log; until then read the response instead';
  return ['the executor has no log of the target to look at, or nothing was sent', cure];
}

function noLog(run_id: string, correlation_id: string, [problem, cure]: readonly [string, string]): ToolAnswer {
  const text = linesOf(...troubleOf({ problem, cure }), `The target’s own line for the run holds ${correlation_id}.`);
  return { text, data: { run_id, line_count: 0, lines: [], next_offset: null, problem, cure, correlation_id } };
}
