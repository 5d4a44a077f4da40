/** Errors of the access that a person gave to apps, and of links that set a new password. */
import { missing } from './row.ts';

/** Area: grants and password links. */
export const grantErrors = {
  GRANT_UNKNOWN: missing('none of your apps has this grant', 'it has already ended; reload the list'),
  RESET_PERSON_UNKNOWN: missing('no account has the email {{email}}', 'use one of the existing emails: {{emails}}'),
} as const;
