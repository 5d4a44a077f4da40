/** CREDENTIAL_INVALID with a fix for the kind of credential, which its prefix identifies even if it is not valid. */
import { formatError, VpError } from './vp-error.ts';

const cures: readonly (readonly [prefix: string, cure: string])[] = [
  [
    'vpe_',
    'an executor key is valid until `vp instances rotate-key <id>` creates another, or the instance is removed; start the executor with the newest one',
  ],
  [
    'vpr_',
    'an agent token is valid until it is rotated or revoked, its instance is removed, or its creator may no longer change the instance; `vp agent-token create <instance>` creates another',
  ],
  [
    'vpm_',
    'a machine key expires when its instance is removed, or when its creator may no longer remove the instance; sign in with `vp login` instead',
  ],
  [
    'vph_',
    'a personal access token is valid only for the tools of its hub, at /agent/mcp or /hub/<slug>/mcp; sign in with `vp login`',
  ],
  ['vpk_', 'an API key is valid until it is revoked or expires; create another in the console, and set VP_TOKEN to it'],
  ['vpo_', 'the owner key expires when the first owner is created; sign in with `vp login`'],
  ['vps_', 'use the scrape key of the control plane: it is in scrape.key of its data folder'],
];

/** The error for an unknown credential; one without a known prefix is treated as that of a person. It never contains the credential. */
export function createCredentialInvalidError(token: string | undefined): VpError {
  const text = formatError('CREDENTIAL_INVALID', {});
  const cure = cures.find(([prefix]) => token?.startsWith(prefix))?.[1] ?? text.cure;
  return new VpError({ ...text, cure }, {});
}
