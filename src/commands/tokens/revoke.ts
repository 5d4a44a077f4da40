import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';

/** `vp tokens revoke`. */
export const tokensRevokeCommand = command({
  name: 'tokens revoke',
  summary: 'revoke a personal access token at once',
  positionals: [{ name: 'token', describe: 'id of the token, see `vp tokens list`', required: true, kind: 'token' }],
  flags: controlPlaneFlags,
  examples: [['vp tokens revoke 3fa94c0be17d2266', 'its next call is answered with invalid_token']],
  notes: 'Your own tokens, or any token of a hub that you own. With --json: {"revoked": "<id>"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { hubs } = await openClient(flags, environment);
    await hubs.revokeToken(id);
    environment.streams.stdout.write(json ? `${JSON.stringify({ revoked: id })}\n` : `the token ${id} has ended\n`);
    return exitCode.done;
  },
});
