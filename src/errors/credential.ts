/** Errors of the commands' own credentials for control planes. `{{source}}` is VP_TOKEN or a file. */
import { answering, invalid, unreachable } from './row.ts';

/** Area: credential, on the side of those who call. */
export const credentialErrors = {
  CREDENTIAL_ABSENT: invalid(
    'there is no credential for {{url}}{{known}}',
    'sign in with `vp login`, or set VP_TOKEN to an API key; before there are accounts `vp serve` writes {{file}} on its own machine',
  ),
  CREDENTIAL_UNUSABLE: invalid(
    '{{source}} holds no credential that can be used: {{problem}}',
    'set VP_TOKEN to the key alone, or remove the file and sign in again with `vp login`',
  ),
  LOGIN_REFUSED: answering(403)('the sign-in was refused in the browser', 'run `vp login` again, and allow it there'),
  LOGIN_EXPIRED: answering(410)('nobody answered in time', 'run `vp login` again'),
  LOGIN_FAILED: unreachable(
    'signing in at {{url}} failed: {{problem}}',
    'check that the address is that of a vp control plane, then run `vp login` again',
  ),
  LOGIN_ENDED: answering(401)('you are no longer signed in at {{url}}', 'sign in again with `vp login`'),
  CREDENTIAL_IN_CLEAR: invalid(
    'the credential would cross the network to {{url}} in the clear',
    'use https, or --allow-insecure where you trust every machine on the way',
  ),
} as const;
