import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import { formatHubToken } from './token-text.ts';

/** `vp tokens reveal`. */
export const tokensRevealCommand = command({
  name: 'tokens reveal',
  summary: 'show one of your tokens again, soon after signing in',
  positionals: [{ name: 'token', describe: 'id of the token, see `vp tokens list`', required: true, kind: 'token' }],
  flags: controlPlaneFlags,
  examples: [['vp tokens reveal 3fa94c0be17d2266', 'within 10 minutes of signing in']],
  notes: `Requires a recent sign-in with your password or your provider, in the browser that \`vp login\` opens. Each
use is a security event in the log. With --json: {"hub_token", "token"}.`,
  async run({ flags, args: [id = ''], json, environment, catalogue }) {
    const client = await openClient(flags, environment);
    const revealed = await client.hubs.revealToken(id);
    const text = await completeCommands(formatHubToken(revealed, client.transport.baseUrl), { environment, catalogue });
    environment.streams.stdout.write(json ? `${JSON.stringify(revealed, null, 2)}\n` : text);
    return exitCode.done;
  },
});
