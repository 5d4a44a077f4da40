/** Errors of signing in to upstream servers, and of calling their tools by hand. */
import { conflict, invalid, peerFailure, withStatus } from './row.ts';

const forbidden = withStatus(403);
const gone = withStatus(410);

export const upstreamSignInErrors = {
  CONNECTION_MEMORY_THERE: conflict(
    'the hub already has a connection to memory: {{name}}',
    'use that one: it has a private part for each member and a part that the hub shares',
  ),
  CONNECTION_SIGN_IN_NONE: invalid(
    'the connection {{connection}} has no sign-in of its own',
    'give it an OAuth credential first; with any other credential there is nothing to sign in to',
  ),
  CONNECTION_SIGN_IN_BROWSER: forbidden(
    'a sign-in to {{connection}} must be completed in the browser that started it',
    'open the hub’s connections in the console and choose Sign in there: {{page}}',
  ),
  CONNECTION_SIGN_IN_UNAVAILABLE: peerFailure(
    '{{connection}} does not offer a usable sign-in: {{problem}}',
    'ask the operator of that server; if hubs cannot register themselves there, give the connection the client id that the operator gave you',
  ),
  CONNECTION_SIGN_IN_UNANSWERED: peerFailure(
    'the authorization server of {{connection}} cannot sign anyone in now: {{problem}}',
    'check that it runs, then start the sign-in again',
  ),
  CONNECTION_SIGN_IN_UNTRUSTED: peerFailure(
    'the sign-in of {{connection}} cannot be trusted: {{problem}}',
    'do not sign in there; ask the operator of that server, and give the credential of the connection again once the sign-in is fixed',
  ),
  CONNECTION_SIGN_IN_REFUSED: forbidden(
    'the sign-in to {{connection}} was refused ({{problem}})',
    'start it again, and allow what its page asks for',
  ),
  CONNECTION_SIGN_IN_OVER: gone(
    'this sign-in is over: it was finished, took more than 10 minutes, or did not start in this browser',
    'start it again at the connection',
  ),
  UPSTREAM_SCOPE_NEEDED: peerFailure(
    '{{connection}} needs a scope that the sign-in did not grant: {{scope}}',
    'add that scope to the connection’s credential, then sign in again; each member with a separate sign-in does the same',
  ),
  UPSTREAM_CALL_REFUSED: peerFailure(
    '{{connection}} refused the call ({{number}}): {{message}}',
    'change the arguments; the description of the tool says what it accepts',
  ),
  HUB_CALL_DENIED: forbidden('the call is not allowed: {{reason}}', '{{cure}}'),
  HUB_CALL_ASKS: conflict(
    'the tool {{name}} asks for input during the call, which cannot be given here',
    'call it from a client that can ask for input',
  ),
} as const;
