/** Errors of requesting runs from the command line and of waiting for them. */
import { conflict, invalid, localFailure, notFound, peerFailure, warning } from './row.ts';

export const runErrors = {
  RUN_NOTHING_SELECTED: invalid('no scenario was selected', 'name IDs, files or folders, or choose some with --tag'),
  RUN_SHARD_KEY_MISSING: invalid(
    '--shard needs a key that says which jobs belong together, because no known CI system was detected',
    'pass the same `--shard-key <text>` in all of these jobs, and a new one in the next pipeline',
  ),
  RUN_SHARDS_DIFFER: invalid(
    'the jobs of this pipeline do not select the same scenarios: {{scenario}} is only in one selection',
    'give all jobs the same catalogue, files and flags, or use another --shard-key',
  ),
  RUN_TAG_UNKNOWN: notFound('no scenario of {{where}} has the tag {{tags}}', 'use one of these tags: {{known}}'),
  RUN_SCENARIO_MISSING: notFound(
    'no scenario in {{folder}} has the ID {{id}}',
    '{{hint}}name an ID of that folder, or a file; --test-dir names another folder',
  ),
  SCENARIO_FILES_INVALID: invalid(
    '{{count}} cannot be used as written',
    'correct the reported problems, then try again',
  ),
  RUN_REPORT_UNWRITABLE: localFailure(
    'the report {{file}} cannot be written ({{reason}})',
    'name a file that this user may write',
  ),
  EXPORT_FILE_EXISTS: conflict('{{file}} exists', 'name another file with --out, or replace it with --force'),
  EXPORT_FILE_IS_FOLDER: conflict('{{file}} is a folder', 'name a file with --out, such as {{file}}/report.html'),
  EXPORT_OF_FAILURE: invalid(
    '{{failure}} is a failure, which has no file of its own',
    'write one of its runs: `vp export {{run}}`',
  ),
  CI_VARIABLE_MISSING: invalid('{{flag}} needs the variable {{name}}, which is not set', '{{cure}}'),
  CI_COMMENT_REFUSED: warning(
    'the comment was not written: {{reason}}',
    'the result stands; the token of the job needs {{permission}}',
  ),
  CI_SUMMARY_UNWRITABLE: warning(
    '{{file}} cannot be written ({{reason}}), so that the CI system displays no summary',
    'the result stands; let the job write that file',
  ),
  RUN_WAIT_LOST: peerFailure(
    'the control plane at {{url}} does not answer any more, and {{count}} no longer waited for ({{problem}})',
    'accepted runs are not lost: when it is back, {{hint}}',
  ),
  RUN_PROOF_ABSENT: localFailure(
    '{{runs}} without a proof: an executor older than this vp cannot create one',
    'start it with this version; `vp instances` shows which version each has',
  ),
  RUN_TIME_OVER: peerFailure(
    'nothing was run: {{reason}} (--max-time) before a run was started',
    'check that the control plane and the files can be read that fast, or allow more time',
  ),
  RUN_EXECUTOR_UNREACHABLE: peerFailure(
    'the executor of {{instance}} cannot be reached at {{url}}: {{problem}}',
    'run this on the machine of the executor while it runs, or omit --direct',
  ),
  RUN_EXECUTOR_PORT_UNKNOWN: invalid(
    'the port of the executor of {{instance}} is unknown',
    'omit --direct: the run is then requested through the control plane',
  ),
  INSTANCE_NONE: notFound(
    'no instance is registered at {{url}}',
    'register one with `vp instances create <id>`, or run without a server: `vp run --local`',
  ),
  INSTANCE_AMBIGUOUS: invalid('there are {{count}} instances at {{url}}', 'choose one with --instance: {{known}}'),
} as const;
