/** Errors of the commands' own credentials for control planes. `{{source}}` is VP_TOKEN or a file. */
import { invalid, peerFailure, withStatus } from './row.ts';

export const credentialErrors = {
  CREDENTIAL_ABSENT: invalid(
    'there is no credential for {{url}}{{known}}',
    'sign in with `vp login`, or set VP_TOKEN to an API key; before there are accounts `vp serve` writes {{file}} on its own machine',
  ),
  CREDENTIAL_UNUSABLE: invalid(
    '{{source}} does not contain a usable credential: {{problem}}',
    'set VP_TOKEN to the key alone, or remove the file and sign in again with `vp login`',
  ),
  LOGIN_REFUSED: withStatus(403)('the sign-in was refused in the browser', 'run `vp login` again, and allow it there'),
  LOGIN_EXPIRED: withStatus(410)('the sign-in was not confirmed in time', 'run `vp login` again'),
  LOGIN_FAILED: peerFailure(
    'signing in at {{url}} failed: {{problem}}',
    'check that the address is that of a vp control plane, then run `vp login` again',
  ),
  LOGIN_ENDED: withStatus(401)('you are no longer signed in at {{url}}', 'sign in again with `vp login`'),
  CREDENTIAL_IN_CLEAR: invalid(
    'the credential would cross the network to {{url}} in the clear',
    'use https, or --allow-insecure where you trust every machine on the way',
  ),
} as const;
