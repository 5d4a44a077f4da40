/** Errors of every HTTP listener: who may call, and how. */

import { exitCode } from './exit-code.ts';
import { internal, localFailure, malformed, notFound, notReady, peerFailure, withStatus } from './row.ts';

export const httpErrors = {
  INTERNAL: internal('something went wrong inside vp', 'see the log of the process for the details, then try again'),
  ROUTE_UNKNOWN: notFound('there is nothing at {{method}} {{path}}', 'see /api/openapi.json for what there is'),
  METHOD_REFUSED: withStatus(405)('{{path}} does not support {{method}}', 'use one of {{allowed}}'),
  HOST_REFUSED: withStatus(421)(
    'this listener does not answer for the host {{host}}',
    'use the address printed at start, or name the host with --public-url',
  ),
  ORIGIN_REFUSED: withStatus(403)(
    'requests from the origin {{origin}} are refused',
    'use the console at the public URL',
  ),
  CREDENTIAL_MISSING: withStatus(401)(
    'this request needs a credential, and has none',
    'sign in: commands with `vp login`; API clients send `Authorization: Bearer <key>` or set VP_TOKEN',
  ),
  CREDENTIAL_INVALID: withStatus(401)(
    'the credential is unknown, or is no longer valid',
    'sign in again: commands with `vp login`, scripts with an API key in VP_TOKEN',
  ),
  CREDENTIAL_INSUFFICIENT: withStatus(403)(
    'this credential does not allow {{action}}',
    'use a credential whose role allows it',
  ),
  BODY_TOO_LARGE: withStatus(413)('the body is larger than {{limit_bytes}} bytes', 'send less at once'),
  BODY_NOT_JSON: malformed('the body is not JSON', 'send a JSON body with `Content-Type: application/json`'),
  MEDIA_TYPE_REFUSED: withStatus(415)(
    'the content type {{type}} is not accepted here',
    'send `Content-Type: application/json`',
  ),
  REQUEST_INVALID: malformed('{{where}} {{problem}}', 'see /api/openapi.json for the shape of this request'),
  CURSOR_INVALID: malformed('the cursor is not valid', 'start again without a cursor'),
  RATE_LIMITED: withStatus(429, exitCode.notReady)('too many requests', 'wait {{retry_after_s}} s, then try again'),
  SHUTTING_DOWN: notReady('the process is shutting down', 'try again in a few seconds'),
  LISTEN_ADDRESS_TAKEN: localFailure(
    '{{address}} is held by another process',
    'stop that process, or choose another address with --port',
  ),
  LISTEN_REFUSED: localFailure(
    'cannot listen on {{address}}: {{problem}}',
    'choose an address of this machine with --host, and a port from 1024 up with --port',
  ),
  CONTROL_PLANE_UNREACHABLE: peerFailure(
    'the control plane at {{url}} cannot be reached: {{problem}}',
    'start it with `vp serve`, name another one with --control-plane or `vp use <url>`, or do without one: `vp run --local`',
  ),
  CONSOLE_PART_UNREACHABLE: peerFailure(
    'a part of this page could not be loaded',
    'check that the control plane runs and that the network works, then reload the page',
  ),
  CONTROL_PLANE_FAULT: peerFailure(
    'the control plane at {{url}} had an internal error in request {{request_id}}',
    'see its log for that request, then try again',
  ),
  CONTROL_PLANE_ANSWER_UNEXPECTED: peerFailure(
    'the control plane at {{url}} sent a response that vp does not understand: {{problem}}',
    'check that the address is that of a vp control plane, and that its version is not older than this one',
  ),
} as const;
