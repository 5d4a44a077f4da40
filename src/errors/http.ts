/** Errors of every HTTP listener: who may call, and how. */

import { exitCode } from './exit-code.ts';
import { answering, internal, malformed, missing, unready } from './row.ts';

/** Area: HTTP. */
export const httpErrors = {
  INTERNAL: internal('something went wrong inside vp', 'see the log of the process for the details, then try again'),
  ROUTE_UNKNOWN: missing('there is nothing at {{method}} {{path}}', 'see /api/openapi.json for what there is'),
  HOST_REFUSED: answering(421)(
    'this listener does not answer for the host {{host}}',
    'use the address printed at start, or name the host with --public-url',
  ),
  ORIGIN_REFUSED: answering(403)(
    'requests from the origin {{origin}} are refused',
    'use the console at the public URL',
  ),
  CREDENTIAL_MISSING: answering(401)(
    'this needs a credential, and none arrived',
    'send `Authorization: Bearer <key>`; local commands find the key by themselves, elsewhere set VP_TOKEN',
  ),
  CREDENTIAL_INVALID: answering(401)(
    'the credential is not known here, or has ended',
    'check that it was made by this control plane; `vp serve` prints where it keeps the owner key',
  ),
  CREDENTIAL_INSUFFICIENT: answering(403)(
    'this credential does not allow {{action}}',
    'use a credential whose role allows it',
  ),
  BODY_TOO_LARGE: answering(413)('the body is larger than {{limit_bytes}} bytes', 'send less at once'),
  BODY_NOT_JSON: malformed('the body is not JSON', 'send a JSON body with `Content-Type: application/json`'),
  MEDIA_TYPE_REFUSED: answering(415)(
    'the content type {{type}} is not accepted here',
    'send `Content-Type: application/json`',
  ),
  REQUEST_INVALID: malformed('{{where}} {{problem}}', 'see /api/openapi.json for the shape of this request'),
  CURSOR_INVALID: malformed('the cursor is not one of ours', 'start again without a cursor'),
  RATE_LIMITED: answering(429, exitCode.notReady)('too many requests', 'wait {{retry_after_s}} s, then try again'),
  SHUTTING_DOWN: unready('the process is shutting down', 'try again in a few seconds'),
} as const;
