import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceArgument } from '../control-plane/control-plane-flags.ts';

/** `vp agent-token revoke`. */
export const agentTokenRevokeCommand = command({
  name: 'agent-token revoke',
  summary: 'revoke the token of an agent at once',
  positionals: [
    instanceArgument,
    { name: 'token', describe: 'id of the token, see `vp agent-token list`', required: true, kind: 'agent-token' },
  ],
  flags: controlPlaneFlags,
  examples: [['vp agent-token revoke shop 3fa94c0be17d2266', 'its agent is refused from now on']],
  notes: 'With --json: {"ended": "<id>"}.',
  async run({ flags, args: [instance = '', id = ''], json, environment }) {
    const { agentTokens } = await openClient(flags, environment);
    await agentTokens.revoke(instance, id);
    environment.streams.stdout.write(json ? `${JSON.stringify({ ended: id })}\n` : `the token ${id} has ended\n`);
    return exitCode.done;
  },
});
