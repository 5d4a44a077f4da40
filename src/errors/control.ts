/** Errors of the control plane: instances, catalogue, runs, leases. */
import { conflict, invalid, localFailure, notFound, peerFailure, warning, withStatus } from './row.ts';

export const controlErrors = {
  CLOCK_JUMPED: warning(
    'the clock of the machine of the control plane jumped by {{jump}}; {{consequence}}',
    'correct the clock (`timedatectl set-ntp true`); if it is right, wait {{wait}}, or start `vp serve` again with --trust-clock',
  ),
  INSTANCE_UNKNOWN: notFound(
    'there is no instance {{instance}}{{known}}',
    'see `vp instances`, or register it with `vp instances create <id>`',
  ),
  INSTANCE_ID_TAKEN: conflict(
    'the instance id {{instance}} is taken',
    'use {{proposal}}, which is free, or another id',
  ),
  INSTANCE_ID_INVALID: invalid(
    '{{instance}} is not a valid instance id',
    'use lowercase letters, digits and hyphens, at most 22 characters, beginning and ending with a letter or digit',
  ),
  INSTANCE_FOREIGN: withStatus(403)(
    'the instance {{instance}} belongs to {{owner}}',
    'ask them, or an owner of the control plane, to do it',
  ),
  SCENARIO_UNKNOWN: notFound(
    'instance {{instance}} has no scenario {{scenario}}{{suggestion}}',
    'see `vp scenarios list`, or send it with `vp scenarios push <file>`',
  ),
  SCENARIO_DELETED: notFound(
    'scenario {{scenario}} of instance {{instance}} was deleted at revision {{revision}}{{by}}',
    'restore it with `vp scenarios restore {{scenario}}`, or write it again',
  ),
  QUARANTINE_INVALID: invalid(
    'scenario {{scenario}} cannot be put in quarantine: {{problem}}',
    'give a reason, and an end in the next {{days}} days such as --until 14d',
  ),
  QUARANTINE_ABSENT: notFound(
    'scenario {{scenario}} of instance {{instance}} is not in quarantine',
    'list the scenarios in quarantine with `vp scenarios quarantine --instance {{instance}}`',
  ),
  SCENARIO_RENAMED: conflict('scenario {{scenario}} is now called {{new_id}}', 'use the ID {{new_id}}'),
  SCENARIO_ID_TAKEN: conflict('the ID {{id}} belongs to {{holder}}', 'choose another ID'),
  SCENARIO_REVISION_UNKNOWN: notFound(
    'scenario {{scenario}} has no revision {{revision}}',
    '`vp scenarios history {{scenario}}` lists its revisions, as does /revisions of the API',
  ),
  SCENARIO_NOT_DELETED: conflict(
    'scenario {{scenario}} is not deleted, and has no earlier revision to restore',
    'name a deleted one: `vp scenarios list --deleted` lists them',
  ),
  SCENARIO_REFUSED: invalid(
    'the scenario has {{errors}}, the first in line {{line}}: {{first}}',
    'correct what `diagnostics` lists; `vp validate <file>` shows the same with excerpts',
  ),
  SCENARIO_ID_DIFFERS: invalid(
    'the text has the ID {{found}}, the address has {{expected}}',
    'write the scenario under its own ID, or change the ID in its Metadata',
  ),
  SCENARIO_CHANGED: conflict(
    'scenario {{scenario}} is at revision {{found}}, not {{expected}}: it was changed in the meantime',
    'read the newest revision, then write again on top of it',
  ),
  RUN_UNKNOWN: notFound('there is no run {{run}}', 'see `vp runs`'),
  FAILURE_UNKNOWN: notFound('{{instance}} has no failure {{failure}}', 'see `vp failures --instance {{instance}}`'),
  COMPARISON_EMPTY: notFound(
    'no run of {{instance}} {{side}} has passed or failed',
    'compare others: `vp compare --list --instance {{instance}}` lists the versions',
  ),
  COMPARISON_VERSIONS_MISSING: notFound(
    'the newest runs of {{instance}} name fewer than two versions of the target',
    'pass --target-version to `vp run`, or compare periods: `vp compare 14d..7d 7d..`',
  ),
  STATUS_PAGE_INVALID: invalid(
    'the status page is not possible: {{problem}}',
    'give a title, and an end in the next {{days}} days such as --until 90d',
  ),
  STATUS_PAGE_UNKNOWN: notFound(
    '{{instance}} has no status page {{page}}',
    'list them with `vp status-pages list --instance {{instance}}`',
  ),
  STATUS_PAGE_ABSENT: notFound(
    'there is no status page at this address: it has ended, was revoked, or never existed',
    'ask whoever gave you the link for another one',
  ),
  RUN_AMBIGUOUS: conflict('several runs match {{run}}', 'name one of them: {{matches}}'),
  RUN_FINAL: conflict('run {{run}} has already ended: {{state}}', 'read its report with `vp runs show {{run}}`'),
  REPORT_ABSENT: notFound('run {{run}} has no report: {{reason}}', 'read the run itself with `vp runs show {{run}}`'),
  REQUEST_KEY_REUSED: conflict(
    'this Idempotency-Key was used for another request',
    'use a new key for a new request, the same key only to repeat the same one',
  ),
  EXECUTOR_SUPERSEDED: conflict(
    'another executor process of {{instance}} took over (epoch {{current}}, this one is {{epoch}})',
    'stop this one; only one executor may serve an instance',
  ),
  EXECUTOR_CHALLENGE_EXPIRED: conflict(
    'the greeting of an executor of {{instance}} does not repeat a challenge that is still open',
    'request a new challenge; vp executors do so by themselves, so a greeting that was only delivered late ends here',
  ),
  CONTROL_STORE_STALE: conflict(
    'the store of the control plane is older than what the executor of {{instance}} has recorded: {{known}}',
    'greet again; executors do so by themselves, and `vp doctor` tells what went back',
  ),
  INSTANCE_REMOVED: withStatus(410)(
    'the instance {{instance}} was removed from the control plane',
    'stop its executor; register it again with `vp instances create <id>` if it is still needed',
  ),
  EXECUTOR_PROTOCOL_UNKNOWN: withStatus(426)(
    'the executor speaks protocol {{found}}, this control plane {{known}}',
    'use the executor version that the control plane recommends: {{version}}',
  ),
  RUN_STEPS_UNSUPPORTED: peerFailure(
    'the scenario has steps, captures, cases, files, streams or requests under CLEANUP, and the executor of {{instance}} is too old to send them',
    'start the executor with the version of the control plane, then request the run again; nothing was sent',
  ),
  RUN_EXECUTOR_LOST: localFailure(
    'the executor of {{instance}} was lost during the run ({{reason}})',
    'check that it runs, then request the run again; whether its request reached the target is not known',
  ),
  REPORT_MISMATCH: invalid(
    'the report is for run {{found}} of {{instance}}, the request is for run {{expected}}',
    'send each report with its own run',
  ),
} as const;
