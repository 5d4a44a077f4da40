/** Errors of accounts and signing in. They do not reveal which accounts exist. */
import { exitCode } from './exit-code.ts';
import { conflict, invalid, notFound, withStatus } from './row.ts';

const forbidden = withStatus(403);
const gone = withStatus(410);
const rateLimited = withStatus(429, exitCode.notReady);

export const identityErrors = {
  SETUP_DONE: conflict(
    'this control plane already has its first owner',
    'sign in, or ask an owner for an invitation link',
  ),
  LINK_ENDED: gone(
    'this link was used, was revoked, or has expired',
    'ask for a new one; on the machine of the control plane `vp setup-link` creates the one for the first owner',
  ),
  SIGN_IN_REFUSED: forbidden('email and password do not match', 'check both, and the keyboard layout'),
  SIGN_IN_LIMITED: rateLimited(
    'too many attempts to sign in failed',
    'wait {{retry_after_s}} s, then try again; a browser that signed in before is not affected by other people’s attempts',
  ),
  PASSWORD_WEAK: invalid(
    'the password {{problem}}',
    'use several unrelated words, or let a password manager create one',
  ),
  PASSWORD_WRONG: forbidden('the current password is wrong', 'enter the password that you sign in with now'),
  EMAIL_TAKEN: conflict('an account with this email already exists', 'sign in with it, or use another email'),
  INVITATION_EMAIL_DIFFERS: invalid(
    'the invitation is for another email',
    'use the email that the invitation was created for, or ask for one without an email',
  ),
  INVITATION_UNKNOWN: notFound('there is no such invitation', 'it was used, was revoked, or has expired'),
  PERSON_UNKNOWN: notFound(
    'no account has the id or email address {{person}}',
    'use that of an account; owners of the control plane see all of them under Settings → People in the console, and invite others there',
  ),
  OWNER_LAST: conflict('this is the last owner', 'make another person an owner first'),
  SESSION_UNKNOWN: notFound('you have no such session', 'it has already ended; reload the list'),
  AGENT_TOKEN_UNKNOWN: notFound(
    'instance {{instance}} has no such agent token',
    'it was revoked; `vp agent-token list {{instance}}` shows the existing ones',
  ),
  AGENT_INSTANCE_FOREIGN: forbidden(
    'this agent token is valid only for the instance {{token_instance}}',
    'use the token of the other instance’s folder; `vp agent-token create <instance>` creates one',
  ),
  API_KEY_UNKNOWN: notFound('you have no such key', 'it has already ended; reload the list'),
  INTERACTION_ENDED: gone(
    'this request of an app was answered, has expired, or was started in another browser',
    'go back to the app and start again',
  ),
  HUB_MEMBERSHIP_NEEDED: forbidden(
    'you are not a member of the hub {{hub}}, so you cannot give an app access to it',
    'ask an owner of that hub to add you, then start again from the app; here you can only refuse',
  ),
  DEVICE_CODE_UNKNOWN: notFound(
    'no sign-in is waiting with this code',
    'compare it with the code that the app shows; a code expires after 10 minutes, then start the app’s sign-in again',
  ),
  API_KEY_ROLE_EXCEEDED: invalid(
    'you cannot create a key with the role {{role}}: your role is {{own_role}}',
    'create a key with at most your own role',
  ),
  GRANT_UNKNOWN: notFound('none of your apps has this grant', 'it has already ended; reload the list'),
  RESET_PERSON_UNKNOWN: notFound('no account has the email {{email}}', 'use one of the existing emails: {{emails}}'),
} as const;
