/** `vp logout`: revokes this user's sign-in at a control plane, and removes the credential. */

import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { readStoredCredential, removeCredential } from '../control-plane/credentials.ts';
import { forgetControlPlane } from '../control-plane/preferences.ts';
import { revokeStoredSignIn } from './revoke-grant.ts';

export const logoutCommand = command({
  name: 'logout',
  summary: 'sign out of a control plane',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp logout', 'revokes the credential and removes its file']],
  notes: 'Exit code 1: the file is removed, but the sign-in could not be revoked and remains until it expires.',
  async run({ flags, json, environment }) {
    const { streams, paths } = environment;
    const { url, fetch } = await resolveControlPlane(flags, environment);
    const credential = readStoredCredential(paths, url);
    const problem = credential && (await revokeStoredSignIn(credential, url, fetch));
    removeCredential(paths, url);
    forgetControlPlane(paths, url);
    const statusLine = credential ? `signed out of ${url}\n` : `you were not signed in at ${url}\n`;
    const problemLine =
      problem === undefined ? '' : `the sign-in could not be revoked and remains until it expires: ${problem}\n`;
    const document = { control_plane: url, signed_out: credential !== undefined, problem: problem ?? null };
    streams.stdout.write(json ? `${JSON.stringify(document)}\n` : statusLine + problemLine);
    return problem === undefined ? exitCode.done : exitCode.checkFailed;
  },
});
