import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { tokenText } from './tokens/token-text.ts';

/** `vp tokens reveal`. */
export const tokensRevealCommand = command({
  name: 'tokens reveal',
  summary: 'show one of your tokens again, soon after signing in',
  positionals: [{ name: 'token', describe: 'its id, as `vp tokens list` shows it', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp tokens reveal 3fa94c0be17d2266', 'within 10 minutes of signing in']],
  notes: `Counts when you gave your password or your provider signed you in, in the browser that \`vp login\` opens. Each
time is told to the log of security. With --json: {"hub_token", "token"}.`,
  async run({ flags, words: [id = ''], json, environment }) {
    const client = await connect(flags, environment);
    const shown = await client.hubs.revealToken(id);
    const text = tokenText(shown, client.transport.baseUrl);
    environment.streams.stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : text);
    return exitCode.done;
  },
});
