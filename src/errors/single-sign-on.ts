/** Errors of signing in by an outside provider. Who is refused learns nothing about which accounts there are. */
import { answering, missing, unreachable } from './row.ts';

const refused = answering(403);
const ended = answering(410);

/** Area: single sign-on. */
export const singleSignOnErrors = {
  SINGLE_SIGN_ON_OFF: missing(
    'this control plane has no single sign-on',
    'sign in with email and password; `vp serve --sso-issuer` adds a provider',
  ),
  SINGLE_SIGN_ON_UNREACHABLE: unreachable(
    '{{name}} cannot be reached at the moment',
    'sign in with email and password, or try again in a minute',
  ),
  SINGLE_SIGN_ON_ENDED: ended(
    'this sign-in was used, has expired, or was begun in another browser',
    'begin again at the sign-in page',
  ),
  SINGLE_SIGN_ON_DECLINED: refused('{{name}} did not sign you in: {{problem}}', 'begin again at the sign-in page'),
  SINGLE_SIGN_ON_ANSWER_REFUSED: refused(
    'the answer of {{name}} does not fit what was asked',
    'begin again at the sign-in page; the log of the control plane says what does not fit',
  ),
  SINGLE_SIGN_ON_EMAIL_UNVERIFIED: refused(
    '{{name}} does not say that your email address is verified',
    'verify it there, then sign in again; or ask an owner for an invitation link',
  ),
  SINGLE_SIGN_ON_DOMAIN_REFUSED: refused(
    'email addresses of {{domain}} may not sign in by {{name}} here',
    'use your account of an allowed domain, or sign in with email and password',
  ),
  SINGLE_SIGN_ON_UNINVITED: refused(
    'nobody has invited {{email}}',
    'ask an owner of this control plane for an invitation for exactly this email address',
  ),
} as const;
