/** `vp logout`: ends this user's sign-in at a control plane, and forgets its credential. */
import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { wayTo } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { forgetCredential, keptCredential } from './credentials.ts';
import { endGrant } from './login/end-grant.ts';

/** The command. */
export const logoutCommand = command({
  name: 'logout',
  summary: 'sign out of a control plane',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp logout', 'the credential ends at the control plane, and its file is removed']],
  notes: 'Exit code 1 when the control plane could not be told: the file is gone then, the sign-in ends by itself.',
  async run({ flags, json, environment }) {
    const { streams, paths } = environment;
    const { url, fetch } = await wayTo(flags, environment);
    const kept = keptCredential(paths, url);
    const problem = kept && (await endGrant(kept, url, fetch));
    forgetCredential(paths, url);
    const told = kept ? `signed out of ${url}\n` : `you were not signed in at ${url}\n`;
    const rest = problem === undefined ? '' : `it could not be told, so the sign-in ends there by itself: ${problem}\n`;
    const document = { control_plane: url, signed_out: kept !== undefined, problem: problem ?? null };
    streams.stdout.write(json ? `${JSON.stringify(document)}\n` : told + rest);
    return problem === undefined ? exitCode.done : exitCode.checkFailed;
  },
});
