/** Errors of what a person gave to programs, and of links that set a new password. */
import { missing } from './row.ts';

/** Area: entrances. */
export const entranceErrors = {
  GRANT_UNKNOWN: missing('no program of yours has this grant', 'it has ended already; see the list again'),
  RESET_PERSON_UNKNOWN: missing(
    'nobody has an account with the email {{email}}',
    'take one of those that exist: {{emails}}',
  ),
} as const;
