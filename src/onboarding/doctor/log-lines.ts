import type { Run, RunDocument } from '../../contract/api.ts';
import { checkSkipped, createProblem, type SetupProblem } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

type ReportLog = NonNullable<NonNullable<RunDocument['report']>['log']>;

const lastRuns = 5;

/** Runs with a response: what their log holds says something about the config. */
function hasResponse({ failure_kind: kind }: Pick<Run, 'failure_kind'>): boolean {
  return kind == null || kind.endsWith('_mismatch') || kind === 'evidence_unavailable';
}

/** What the config names and no line of these logs has. Saga events are rare: a few runs without one say nothing. */
function listDoubts(logs: readonly ReportLog[]): SetupProblem[] {
  const [newest, ...others] = logs;
  const unseen = (newest?.unseen ?? []).filter(({ member, field }) => {
    const isUnseenIn = (log: ReportLog): boolean =>
      log.unseen?.some((entry) => entry.member === member && entry.field === field) === true;
    return member !== 'saga_event_field' && others.every(isUnseenIn);
  });
  const unknown = newest?.errors_unknown;
  const problems = unseen.map((entry) => createProblem('LOG_FIELD_UNSEEN', { ...entry, count: logs.length }));
  return unknown
    ? [...problems, createProblem('LOG_ERRORS_UNKNOWN', { problem: unknown.problem, solution: unknown.cure })]
    : problems;
}

/** The latest runs found their lines in the target's log. */
export const logLinesCheck: DoctorCheck = {
  id: 'log_lines',
  title: 'log lines of the last runs',
  async inspect({ state: { client, registered } }) {
    if (!client || !registered) return checkSkipped('not checked: the runs cannot be read');
    const instance = registered.instance_id;
    const page = await client.runs.list({ instance, states: ['passed', 'failed'], limit: 4 * lastRuns });
    const items = page.items.filter(hasResponse).slice(0, lastRuns);
    if (items.length === 0) return checkSkipped('not checked: no run has got a response yet');
    const documents = await Promise.all(items.map(({ run_id }) => client.runs.get(run_id)));
    const reports = documents.flatMap(({ report }) => report ?? []);
    const logs = reports.flatMap(({ log }) => log ?? []);
    if (reports.length === 0) return checkSkipped('not checked: the reports of the last runs have expired');
    if (logs.length === 0) return checkSkipped('not checked: the executor was started without the log of the target');
    const withLines = logs.filter((log) => log.line_count > 0);
    if (withLines.length > 0) {
      const some = withLines.length < logs.length ? `${withLines.length} of ` : '';
      const runs = logs.length === 1 ? 'run' : `${logs.length} runs`;
      return { facts: [`found for ${some}the last ${runs}`], problems: listDoubts(withLines) };
    }
    const without = logs.length;
    const reason = logs[0]?.problem ?? 'the request id is not in the log of the running target';
    return { facts: [], problems: [createProblem('LOG_LINES_ABSENT', { count: without, reason })] };
  },
};
