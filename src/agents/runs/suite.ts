/**
 * A suite is the set of runs of one request. Run ids are timestamps, and the ids of one request are consecutive within
 * one transaction, so the first and the last id identify the suite without storing anything.
 */
import { vpError } from '../../errors/vp-error.ts';
import { parseRunId } from '../../run/run-id.ts';

export function formatSuite(runIds: readonly string[]): string {
  return `${runIds.at(0) ?? ''}-${runIds.at(-1) ?? ''}`;
}

/** The time range of a suite as a run filter (RFC 3339). Throws AGENT_ARGUMENTS_INVALID when `suite` is malformed. */
export function parseSuiteTimeRange(suite: string): { readonly since: string; readonly until: string } {
  const [first = '', last = ''] = suite.split('-');
  const [from, to] = [parseRunId(first), parseRunId(last)];
  if (from === undefined || to === undefined) {
    const problems = '`suite` was not returned by author__request_suite';
    throw vpError('AGENT_ARGUMENTS_INVALID', {
      tool: 'author__list_runs',
      problems,
      allowed: '`suite` (text: <first run id>-<last run id>)',
    });
  }
  return { since: new Date(from).toISOString(), until: new Date(to + 1).toISOString() };
}
