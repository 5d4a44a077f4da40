/** Errors of asking for runs from the command line and of seeing them through. */
import { broken, invalid, missing, unreachable } from './row.ts';

/** Area: run. */
export const runErrors = {
  RUN_NOTHING_SELECTED: invalid('no scenario was selected', 'name IDs, files or folders, or choose some with --tag'),
  RUN_TAG_UNKNOWN: missing('no scenario of {{where}} has the tag {{tags}}', 'the tags there are: {{known}}'),
  RUN_SCENARIO_MISSING: missing(
    'no scenario in {{folder}} has the ID {{id}}',
    '{{hint}}name an ID of that folder, or a file; --test-dir names another folder',
  ),
  SCENARIO_FILES_INVALID: invalid('{{count}} cannot be used as written', 'mend what is told, then try again'),
  RUN_REPORT_UNWRITABLE: broken(
    'the report {{file}} cannot be written ({{reason}})',
    'name a file that this user may write',
  ),
  RUN_WAIT_LOST: unreachable(
    'the control plane at {{url}} has not answered for {{seconds}} s; {{count}} not waited for any longer',
    'nothing is lost: when it is back, see them with {{hint}}',
  ),
  INSTANCE_NONE: missing(
    'no instance is registered at {{url}}',
    'register one with `vp instances create <id>`, or run without a server: `vp run --local`',
  ),
  INSTANCE_AMBIGUOUS: invalid('there are {{count}} instances at {{url}}', 'choose one with --instance: {{known}}'),
} as const;
