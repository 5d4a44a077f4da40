/** Errors of signing in to upstream servers, and of calling their tools by hand. */
import { answering, conflict, invalid, unreachable } from './row.ts';

const refused = answering(403);
const ended = answering(410);

/** Area: connections in use. */
export const upstreamSignInErrors = {
  CONNECTION_MEMORY_THERE: conflict(
    'the hub has a connection to memory already: {{name}}',
    'use that one: each member has a part of it, and all of the hub share another',
  ),
  CONNECTION_SIGN_IN_NONE: invalid(
    'the connection {{connection}} has no sign-in of its own',
    'give it an OAuth credential first; with any other credential there is nothing to sign in to',
  ),
  CONNECTION_SIGN_IN_BROWSER: refused(
    'a sign-in to {{connection}} begins and ends in one browser',
    'open the hub’s connections in the console and choose Sign in there: {{page}}',
  ),
  CONNECTION_SIGN_IN_UNAVAILABLE: unreachable(
    '{{connection}} tells no way to sign in: {{problem}}',
    'ask who runs that server; where it does not let hubs register themselves, give the connection the client id that they gave you',
  ),
  CONNECTION_SIGN_IN_UNTRUSTED: unreachable(
    'the sign-in of {{connection}} is not to be trusted: {{problem}}',
    'do not sign in there; ask who runs that server, and give the credential of the connection again once it is as it should be',
  ),
  CONNECTION_SIGN_IN_REFUSED: refused(
    'the sign-in to {{connection}} was refused ({{problem}})',
    'begin it again, and allow what its page asks for',
  ),
  CONNECTION_SIGN_IN_OVER: ended(
    'this sign-in is over: it was finished, took more than 10 minutes, or did not begin in this browser',
    'begin it again at the connection',
  ),
  UPSTREAM_SCOPE_NEEDED: unreachable(
    '{{connection}} wants more leave than was given when it was signed in to: {{scope}}',
    'write that scope into the connection’s credential, then sign in again; people with sign-ins of their own do so each',
  ),
  UPSTREAM_CALL_REFUSED: unreachable(
    '{{connection}} refused the call ({{number}}): {{message}}',
    'change the arguments; its tool says in its description what it takes',
  ),
  HUB_CALL_DENIED: refused('the call is not allowed: {{reason}}', '{{cure}}'),
  HUB_CALL_ASKS: conflict(
    'the tool {{name}} asks something in the midst of the call, which cannot be answered here',
    'call it from a client that can be asked',
  ),
} as const;
