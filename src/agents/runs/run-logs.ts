/** Reads the target's log lines of a run; both roles use it. */
import { explainNoLine } from '../../judge/hints.ts';
import type { Report, ReportLog } from '../../report/report.ts';
import type { AgentPorts } from '../ports.ts';
import { formatQuantity, joinLines, takeWithinLength, truncate } from '../tools/result-text.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import { getOwnRun } from './run-entry.ts';

/** Limits of one result: lines, their total text, the text of one line. */
const limits = { lines: 50, all: 10_000, line: 2000 } as const;

export type RunLogsParams = {
  readonly run_id: string;
  readonly offset?: number | undefined;
  readonly errors_only?: boolean | undefined;
};

/** A page of the lines that the executor found by the run's correlation id. */
export async function readRunLogs(
  ports: AgentPorts,
  context: ToolContext,
  { run_id, offset = 0, errors_only = false }: RunLogsParams,
): Promise<ToolOutput> {
  const run = await getOwnRun(ports, context, run_id);
  const report = run.report ?? run.late_report;
  const log = report?.log ?? null;
  if (!report || !log)
    return createMissingLogAnswer(
      run_id,
      run.correlation_id,
      explainMissingLog(run.report !== null, run.report_expired, run.state),
    );
  const selectedLines = log.lines.filter(({ error }) => error || !errors_only);
  const boundedLines = selectedLines
    .slice(offset, offset + limits.lines)
    .map((line) => ({ ...line, text: truncate(line.text, limits.line) }));
  const lines = takeWithinLength(boundedLines, limits.all);
  const next = offset + lines.length < selectedLines.length ? offset + lines.length : null;
  const errorsText = log.errors_unknown ? 'errors not known' : formatQuantity(log.error_count, 'error');
  const { problem, cure } = findLogProblem(log, report);
  const text = joinLines(
    `${formatQuantity(log.line_count, 'line')} of run ${run_id}: ${errorsText}, ${formatQuantity(log.saga_event_count, 'saga event')}`,
    ...lines.map(({ text: line, level }) => (level === null ? line : `[${level}] ${line}`)),
    next !== null && `There are more: call again with offset ${next}.`,
    log.line_count > log.lines.length && `The report keeps the first ${log.lines.length} lines.`,
    ...formatLogProblem({ problem, cure }),
    log.errors_unknown && `Which lines are errors is not known: ${log.errors_unknown.problem}.`,
    log.errors_unknown && `Fix: ${log.errors_unknown.cure}.`,
    errors_only && problem === null && !log.errors_unknown && lines.length === 0 && 'None of the lines is an error.',
  );
  const { line_count, error_count, saga_event_count, waited_ms } = log;
  const counts = { line_count, error_count, saga_event_count, kept: log.lines.length, waited_ms };
  const unknown = log.errors_unknown ?? null;
  return { text, data: { run_id, ...counts, lines, next_offset: next, problem, cure, errors_unknown: unknown } };
}

/** A log that was read and holds no line of the run has a reason too. */
function findLogProblem({ problem, cure, line_count }: ReportLog, { exchange }: Report): LogProblem {
  return problem === null && line_count === 0 ? explainNoLine(exchange.request?.headers ?? []) : { problem, cure };
}

type LogProblem = Pick<ReportLog, 'problem' | 'cure'>;

/** Why there are no lines, and how to fix it. */
function formatLogProblem({ problem, cure }: LogProblem): string[] {
  return problem === null ? [] : [`No lines: ${problem}.`, `Fix: ${cure ?? ''}.`];
}

function explainMissingLog(
  hasReport: boolean,
  isExpired: boolean,
  state: string,
): readonly [problem: string, cure: string] {
  if (isExpired) return ['the report and its log lines have expired', 'request the run again'];
  if (!hasReport) return [`the run is ${state} and has no report`, 'wait until it has ended, then call again'];
  const cure = 'ask a person to set `observability.logstore` and to connect the log; until then read the response';
  return ['the executor has no log of the target, or nothing was sent', cure];
}

function createMissingLogAnswer(
  run_id: string,
  correlation_id: string,
  [problem, cure]: readonly [string, string],
): ToolOutput {
  const text = joinLines(
    ...formatLogProblem({ problem, cure }),
    `The target’s own log line for the run contains ${correlation_id}.`,
  );
  return { text, data: { run_id, line_count: 0, lines: [], next_offset: null, problem, cure, correlation_id } };
}
