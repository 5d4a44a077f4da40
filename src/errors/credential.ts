/** Errors of the commands' own credentials for control planes. `{{source}}` is VP_TOKEN or a file. */
import { invalid } from './row.ts';

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
  CREDENTIAL_IN_CLEAR: invalid(
    'the credential would cross the network to {{url}} in the clear',
    'use https, or --allow-insecure where you trust every machine on the way',
  ),
} as const;
