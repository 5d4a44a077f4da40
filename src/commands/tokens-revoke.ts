import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** `vp tokens revoke`. */
export const tokensRevokeCommand = command({
  name: 'tokens revoke',
  summary: 'end a personal access token at once',
  positionals: [{ name: 'token', describe: 'its id, as `vp tokens list` shows it', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp tokens revoke 3fa94c0be17d2266', 'its next call is answered invalid_token']],
  notes: 'Yours, or anybody’s of a hub that you own. With --json: {"revoked": "<id>"}.',
  async run({ flags, words: [id = ''], json, environment }) {
    const { hubs } = await connect(flags, environment);
    await hubs.endToken(id);
    environment.streams.stdout.write(json ? `${JSON.stringify({ revoked: id })}\n` : `the token ${id} has ended\n`);
    return exitCode.done;
  },
});
