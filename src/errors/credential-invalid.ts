/** CREDENTIAL_INVALID in the words of whoever has that kind of credential: its prefix says which, good or not. */
import { VpError, wordsOf } from './vp-error.ts';

const cures: readonly (readonly [prefix: string, cure: string])[] = [
  [
    'vpe_',
    'an executor key holds until `vp instances rotate-key <id>` makes another, or the instance is removed; start the executor with the newest one',
  ],
  [
    'vpr_',
    'an agent token holds until it is rotated or ended, its instance is removed, or its maker may no longer change it; `vp agent-token make <instance>` makes another',
  ],
  [
    'vpm_',
    'a machine key ends with its instance, and when its maker may no longer remove it; sign in with `vp login` instead',
  ],
  [
    'vph_',
    'a personal access token is good for its hub’s tools, at /agent/mcp or /hub/<slug>/mcp, and not for this; sign in with `vp login`',
  ],
  ['vpk_', 'an API key holds until it is ended or expires; make another in the console, and set VP_TOKEN to it'],
  ['vpo_', 'the owner key ends when the first owner is made; sign in with `vp login`'],
  ['vps_', 'the scrape key of a control plane stands in scrape.key of its data folder'],
];

/** The error for a credential that is not known; one that shows no kind of ours is taken for a person's. It never holds the credential. */
export function credentialInvalid(token: string | undefined): VpError {
  const words = wordsOf('CREDENTIAL_INVALID', {});
  const cure = cures.find(([prefix]) => token?.startsWith(prefix))?.[1] ?? words.cure;
  return new VpError({ ...words, cure }, {});
}
