import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** `vp agent-token end`. */
export const agentTokenEndCommand = command({
  name: 'agent-token end',
  summary: 'end the token of an agent at once',
  positionals: [
    { name: 'instance', describe: 'instance id', required: true },
    { name: 'token', describe: 'id of the token, as `vp agent-token list` shows it', required: true },
  ],
  flags: controlPlaneFlags,
  examples: [['vp agent-token end shop 3fa94c0be17d2266', 'its agent is refused from now on']],
  notes: 'With --json: {"ended": "<id>"}.',
  async run({ flags, words: [instance = '', id = ''], json, environment }) {
    const { agentTokens } = await connect(flags, environment);
    await agentTokens.end(instance, id);
    environment.streams.stdout.write(json ? `${JSON.stringify({ ended: id })}\n` : `the token ${id} has ended\n`);
    return exitCode.done;
  },
});
