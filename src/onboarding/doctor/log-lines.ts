import { createProblem, passed, skipped } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

const lastRuns = 5;

/** The latest runs found their lines in the target's log. */
export const logLinesCheck: DoctorCheck = {
  id: 'log_lines',
  title: 'log lines of the last runs',
  async inspect({ state: { client, registered } }) {
    if (!client || !registered) return skipped('not checked: the runs cannot be read');
    const instance = registered.instance_id;
    const { items } = await client.runs.list({
      instance,
      states: ['passed', 'failed'],
      judged: true,
      limit: lastRuns,
    });
    if (items.length === 0) return passed('no runs yet');
    const documents = await Promise.all(items.map(({ run_id }) => client.runs.get(run_id)));
    const logs = documents.flatMap(({ report }) => (report?.log ? [report.log] : []));
    if (logs.length === 0) return passed('the executor was started without the log of the target');
    const without = logs.filter((log) => log.line_count === 0).length;
    if (without === 0) return passed(`found for the last ${logs.length} runs`);
    if (without < logs.length) return passed(`found for ${logs.length - without} of the last ${logs.length} runs`);
    const reason = logs[0]?.problem ?? 'the request id is not in the log of the running target';
    return { facts: [], problems: [createProblem('LOG_LINES_ABSENT', { count: without, reason })] };
  },
};
