/** Errors of signing in by an outside provider. They do not reveal which accounts exist. */
import { notFound, peerFailure, withStatus } from './row.ts';

const forbidden = withStatus(403);
const gone = withStatus(410);

export const singleSignOnErrors = {
  SINGLE_SIGN_ON_OFF: notFound(
    'this control plane has no single sign-on',
    'sign in with email and password; `vp serve --sso-issuer <url> --sso-client-id <id>` adds a provider',
  ),
  SINGLE_SIGN_ON_UNREACHABLE: peerFailure(
    '{{name}} cannot be reached at the moment',
    'sign in with email and password, or try again in a minute',
  ),
  SINGLE_SIGN_ON_ENDED: gone(
    'this sign-in was used, has expired, or was started in another browser',
    'start again at the sign-in page',
  ),
  SINGLE_SIGN_ON_DECLINED: forbidden('{{name}} did not sign you in: {{problem}}', 'start again at the sign-in page'),
  SINGLE_SIGN_ON_ANSWER_REFUSED: forbidden(
    'the response of {{name}} does not match the request',
    'start again at the sign-in page; the log of the control plane says what does not match',
  ),
  SINGLE_SIGN_ON_EMAIL_UNVERIFIED: forbidden(
    '{{name}} does not say that your email address is verified',
    'verify it there, then sign in again; or ask an owner for an invitation link',
  ),
  SINGLE_SIGN_ON_DOMAIN_REFUSED: forbidden(
    'email addresses of {{domain}} may not sign in with {{name}} here',
    'use your account of an allowed domain, or sign in with email and password',
  ),
  SINGLE_SIGN_ON_UNINVITED: forbidden(
    'there is no invitation for {{email}}',
    'ask an owner of this control plane for an invitation for exactly this email address',
  ),
} as const;
