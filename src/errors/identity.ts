/** Errors of accounts and signing in. Who asks learns nothing about which accounts there are. */
import { exitCode } from './exit-code.ts';
import { answering, conflict, invalid, missing } from './row.ts';

const refused = answering(403);
const ended = answering(410);
const limited = answering(429, exitCode.notReady);

/** Area: identity. */
export const identityErrors = {
  SETUP_DONE: conflict(
    'this control plane has its first owner already',
    'sign in, or ask an owner for an invitation link',
  ),
  LINK_ENDED: ended(
    'this link was used, was taken back, or has expired',
    'ask for a new one; on the machine of the control plane `vp setup-link` makes the one for the first owner',
  ),
  SIGN_IN_REFUSED: refused('email and password do not belong together', 'check both, and the keyboard’s language'),
  SIGN_IN_LIMITED: limited(
    'too many attempts to sign in failed',
    'wait {{retry_after_s}} s, then try again; a browser that signed in before is not held up by others',
  ),
  PASSWORD_WEAK: invalid(
    'the password {{problem}}',
    'take several words that do not belong together, or let a password manager make one',
  ),
  PASSWORD_WRONG: refused('the present password is not right', 'type the password you sign in with now'),
  EMAIL_TAKEN: conflict('there is an account with this email already', 'sign in with it, or use another email'),
  INVITATION_EMAIL_DIFFERS: invalid(
    'the invitation is for another email',
    'use the email that the invitation was made for, or ask for one without an email',
  ),
  INVITATION_UNKNOWN: missing('there is no such invitation', 'it was used, was taken back, or has expired'),
  PERSON_UNKNOWN: missing('there is no such person', 'see the list of people again'),
  OWNER_LAST: conflict('this is the last owner', 'make somebody else an owner first'),
  SESSION_UNKNOWN: missing('you have no such session', 'it has ended already; see the list again'),
  AGENT_TOKEN_UNKNOWN: missing(
    'instance {{instance}} has no such agent token',
    'it has ended already; `vp agent-token list {{instance}}` shows those that there are',
  ),
  AGENT_INSTANCE_FOREIGN: refused(
    'this agent token is good for the instance {{own}} only',
    'use the token of the other instance’s folder; `vp agent-token make <instance>` makes one',
  ),
  API_KEY_UNKNOWN: missing('you have no such key', 'it has ended already; see the list again'),
  INTERACTION_ENDED: ended(
    'this request of a program was answered, has expired, or was made in another browser',
    'go back to the program and begin again',
  ),
  HUB_MEMBERSHIP_NEEDED: refused(
    'you belong to no hub {{hub}}, so you cannot let a program into it',
    'ask an owner of that hub to add you, then let the program begin again; here you can only refuse',
  ),
  DEVICE_CODE_UNKNOWN: missing(
    'no program waits with this code',
    'compare it with what the program shows; after 10 minutes it shows a new one when it is started again',
  ),
  API_KEY_ROLE_EXCEEDED: invalid(
    'a key of yours cannot be {{role}}: you are {{own}} yourself',
    'make a key with at most your own role',
  ),
} as const;
