/** Errors of the control plane: instances, catalogue, runs, leases. */
import { broken, conflict, invalid, missing, withStatus } from './row.ts';

/** Area: control. */
export const controlErrors = {
  INSTANCE_UNKNOWN: missing(
    'there is no instance {{instance}}{{known}}',
    'see `vp instances`, or register it with `vp instances create`',
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
  SCENARIO_UNKNOWN: missing(
    'instance {{instance}} has no scenario {{scenario}}{{suggestion}}',
    'see `vp scenarios list`, or send it with `vp scenarios push`',
  ),
  SCENARIO_REVISION_UNKNOWN: missing(
    'scenario {{scenario}} has no revision {{revision}}',
    'its revisions are listed under /revisions',
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
  RUN_UNKNOWN: missing('there is no run {{run}}', 'see `vp runs`'),
  RUN_FINAL: conflict('run {{run}} has already ended: {{state}}', 'read its report with `vp runs show {{run}}`'),
  REPORT_ABSENT: missing('run {{run}} has no report: {{reason}}', 'read the run itself with `vp runs show {{run}}`'),
  REQUEST_KEY_REUSED: conflict(
    'this Idempotency-Key was used for another request',
    'use a new key for a new request, the same key only to repeat the same one',
  ),
  EXECUTOR_SUPERSEDED: conflict(
    'another executor process of {{instance}} took over (epoch {{current}}, this one is {{epoch}})',
    'stop this one; only one executor may serve an instance',
  ),
  EXECUTOR_PROTOCOL_UNKNOWN: withStatus(426)(
    'the executor speaks protocol {{found}}, this control plane {{known}}',
    'use the executor version that the control plane recommends: {{version}}',
  ),
  RUN_EXECUTOR_LOST: broken(
    'the executor of {{instance}} was lost during the run ({{reason}})',
    'check that it runs, then request the run again; whether its request reached the target is not known',
  ),
  REPORT_MISMATCH: invalid(
    'the report is for run {{found}} of {{instance}}, the request is for run {{expected}}',
    'send each report with its own run',
  ),
} as const;
