/**
 * A suite: the runs of one request. Run ids are moments, and those of one request follow each other without a gap in one
 * transaction, so the first and the last id say which runs belong together: nothing has to be stored.
 */
import { vpError } from '../../errors/vp-error.ts';
import { epochMsOfRunId } from '../../run/run-id.ts';

/** `<first run id>-<last run id>`. */
export function suiteOf(runIds: readonly string[]): string {
  return `${runIds.at(0) ?? ''}-${runIds.at(-1) ?? ''}`;
}

/** The span of a suite as a filter of runs, RFC 3339. Throws AGENT_ARGUMENTS_INVALID for what is no suite. */
export function spanOf(suite: string): { readonly since: string; readonly until: string } {
  const [first = '', last = ''] = suite.split('-');
  const [from, to] = [epochMsOfRunId(first), epochMsOfRunId(last)];
  if (from === undefined || to === undefined) {
    const problems = '`suite` is not one that author__request_suite gave';
    throw vpError('AGENT_ARGUMENTS_INVALID', {
      tool: 'author__list_runs',
      problems,
      allowed: '`suite` (text: <first run id>-<last run id>)',
    });
  }
  return { since: new Date(from).toISOString(), until: new Date(to + 1).toISOString() };
}
