/** Errors of requests for several scenarios. */
import { conflict, invalid, notFound } from './row.ts';

export const suiteErrors = {
  SUITE_UNKNOWN: notFound('{{instance}} has no suite {{suite}}', 'see `vp suites --instance {{instance}}`'),
  SUITE_KEY_DIFFERS: conflict(
    'the suite of the key {{key}} was divided into {{known}} shards, not {{requested}}',
    'use the same number of shards in all jobs of a pipeline, or another key for another set of jobs',
  ),
  SUITE_TOO_LARGE: invalid(
    'the suite would have {{runs}} runs, and {{max}} is the limit',
    'request fewer scenarios, or several suites',
  ),
  SUITE_NOTHING_TO_RERUN: conflict(
    'in suite {{suite}} {{reason}}',
    'run all of it again with `vp suites rerun {{suite}} --all`, or request other scenarios',
  ),
  SUITE_REPORTS_ABSENT: notFound(
    '{{count}} of suite {{suite}} have no report any more',
    'its counts are still right: `vp suites show {{suite}}`; run it again for new reports',
  ),
} as const;
