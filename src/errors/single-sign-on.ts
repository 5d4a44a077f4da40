/** Errors of signing in by an outside provider. They do not reveal which accounts exist. */
import { missing, unreachable, withStatus } from './row.ts';

const refused = withStatus(403);
const ended = withStatus(410);

export const singleSignOnErrors = {
  SINGLE_SIGN_ON_OFF: missing(
    'this control plane has no single sign-on',
    'sign in with email and password; `vp serve --sso-issuer <url> --sso-client-id <id>` adds a provider',
  ),
  SINGLE_SIGN_ON_UNREACHABLE: unreachable(
    '{{name}} cannot be reached at the moment',
    'sign in with email and password, or try again in a minute',
  ),
  SINGLE_SIGN_ON_ENDED: ended(
    'this sign-in was used, has expired, or was started in another browser',
    'start again at the sign-in page',
  ),
  SINGLE_SIGN_ON_DECLINED: refused('{{name}} did not sign you in: {{problem}}', 'start again at the sign-in page'),
  SINGLE_SIGN_ON_ANSWER_REFUSED: refused(
    'the response of {{name}} does not match the request',
    'start again at the sign-in page; the log of the control plane says what does not match',
  ),
  SINGLE_SIGN_ON_EMAIL_UNVERIFIED: refused(
    '{{name}} does not say that your email address is verified',
    'verify it there, then sign in again; or ask an owner for an invitation link',
  ),
  SINGLE_SIGN_ON_DOMAIN_REFUSED: refused(
    'email addresses of {{domain}} may not sign in with {{name}} here',
    'use your account of an allowed domain, or sign in with email and password',
  ),
  SINGLE_SIGN_ON_UNINVITED: refused(
    'there is no invitation for {{email}}',
    'ask an owner of this control plane for an invitation for exactly this email address',
  ),
} as const;
