/** Errors of connections from a hub to its upstream servers, and of calls that it cannot route. */
import { invalid, notFound, peerFailure, withStatus } from './row.ts';

export const upstreamErrors = {
  UPSTREAM_ADDRESS_REFUSED: invalid(
    '{{host}} leads to an address that is {{kind}}, which the control plane does not call',
    'give it a public address; for servers of this machine or its networks the operator starts `vp serve` with --allow-private-upstreams, link-local addresses are never called',
  ),
  UPSTREAM_REDIRECTED: peerFailure(
    '{{host}} redirects to another address, which is not followed: it would get the credential',
    'give the connection the address that the server answers at',
  ),
  UPSTREAM_ANSWER_TOO_LARGE: peerFailure(
    'the response of {{connection}} is larger than {{limit_mb}} MB',
    'request less at once: the server has to page or shorten its responses',
  ),
  UPSTREAM_MESSAGES_EXCEEDED: peerFailure(
    '{{connection}} sent more than {{limit}} before its response; the call was ended',
    'the server has to report progress less often and ask less; the call may still have been carried out: check before calling again',
  ),
  UPSTREAM_ANSWER_INVALID: peerFailure(
    'the response of {{connection}} is not valid MCP: {{problem}}',
    'check the log of that server; the other connections of the hub are not affected',
  ),
  UPSTREAM_UNREACHABLE: peerFailure(
    '{{connection}} cannot be reached: {{problem}}',
    'check that its server runs and that the address of the connection is right; the next call tries again',
  ),
  UPSTREAM_CLOSED: peerFailure(
    '{{connection}} was closed during the call: its connection or sign-in was changed or removed, or the control plane is ending',
    'the call may still have been carried out: check before calling again',
  ),
  UPSTREAM_TIMED_OUT: peerFailure(
    '{{connection}} did not answer within {{timeout_s}} s',
    'the call may still have been carried out: check before calling again',
  ),
  UPSTREAM_FULL: peerFailure(
    '{{connection}} already serves {{max}} people at once, each in a session of their own',
    'call again when calls of others have ended',
  ),
  UPSTREAM_LOOP: peerFailure(
    '{{connection}} leads back to this hub',
    'remove the connection, or the one by which the other hub connects to this one',
  ),
  HUB_LOOP: withStatus(508)(
    'this request has reached hub {{hub}} before, or has passed too many hubs',
    'remove the connection of the hub that leads back here',
  ),
  UPSTREAM_SIGN_IN_NEEDED: peerFailure(
    '{{connection}} requires a sign-in, or a credential other than the one it received',
    'sign in to that server, or give the connection another credential: on its page in the console, or with `vp hubs sign-in <hub> <connection>` or `vp hubs change <hub> <connection>`',
  ),
  UPSTREAM_COMMAND_UNKNOWN: invalid(
    'the operator of this control plane offers no command {{command}}',
    'choose one of those in the file that `vp serve --hub-commands <file>` names, or ask the operator to add it',
  ),
  UPSTREAM_COMMANDS_UNREADABLE: invalid(
    'the commands for connections cannot be read from {{file}}: {{problem}}',
    'write it as JSON: `commands` maps each name to `image` and `command`, a list of words',
  ),
  HUB_TOOL_UNKNOWN: notFound(
    'this hub has nothing named {{name}}',
    'list again: what a hub offers changes with its connections and with what its owners allow',
  ),
  HUB_TASK_UNKNOWN: notFound(
    'you have no such task in this hub',
    'start it again; a task belongs to the person who started it, and its server forgets it in time',
  ),
  HUB_TOOL_ARGUMENTS_INVALID: invalid(
    'the arguments of {{tool}} are not valid: {{problem}}',
    'call it with the arguments that its definition in `tools/list` describes',
  ),
  HUB_INPUT_UNKNOWN: withStatus(409)(
    'the call that this input belongs to has ended',
    'call again without requestState; a call waits 5 minutes for its input',
  ),
} as const;
