/** Errors of schedules. */
import { conflict, invalid, notFound, withStatus } from './row.ts';

export const scheduleErrors = {
  SCHEDULE_UNKNOWN: notFound(
    '{{instance}} has no schedule {{schedule}}',
    'see `vp schedules list --instance {{instance}}`',
  ),
  SCHEDULE_ID_TAKEN: conflict(
    '{{instance}} already has a schedule {{schedule}}',
    'choose another id, or change it with `vp schedules edit {{schedule}}`',
  ),
  SCHEDULE_INVALID: invalid('the schedule is invalid: {{member}}: {{problem}}', 'correct it; see `vp docs schedules`'),
  SCHEDULE_FROM_FILE: conflict(
    'schedule {{schedule}} comes from schedules.yaml',
    'change it there and send it with `vp scenarios push <folder>`; `vp schedules pause {{schedule}}` works here',
  ),
  SCHEDULE_FILE_INVALID: invalid(
    '{{file}}: {{problem}}',
    'write `schedules:` with entries such as `nightly: {cron: "0 2 * * *", time_zone: Europe/Berlin, tags: [smoke]}`',
  ),
  SCHEDULE_WEBHOOK_REFUSED: withStatus(401)(
    'the webhook is refused: {{problem}}',
    'sign `<webhook-id>.<webhook-timestamp>.<body>` with the secret of the schedule (Standard Webhooks); `vp docs schedules` has an example',
  ),
  SCHEDULE_NOTHING_REQUESTED: conflict(
    'schedule {{schedule}} requested nothing: {{note}}',
    'correct that and send the same message again, within five minutes of its time; see `vp schedules next {{schedule}}`',
  ),
  SCHEDULE_WEBHOOK_REPEATED: conflict(
    'the webhook with the id {{id}} was accepted before',
    'nothing has to be done; use a new webhook-id for a new request',
  ),
} as const;
