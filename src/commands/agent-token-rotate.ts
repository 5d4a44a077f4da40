import { exitCode } from '../errors/exit-code.ts';
import { tokenText } from './agent-token/token-text.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** `vp agent-token rotate`. */
export const agentTokenRotateCommand = command({
  name: 'agent-token rotate',
  summary: 'make a new token for an agent; the old one ends at once',
  positionals: [
    { name: 'instance', describe: 'instance id', required: true },
    { name: 'token', describe: 'id of the token, as `vp agent-token list` shows it', required: true },
  ],
  flags: controlPlaneFlags,
  examples: [['vp agent-token rotate shop 3fa94c0be17d2266', 'the new token is shown, once']],
  notes: 'It keeps its id, role and name, and acts in your name from then on. With --json: {"agent_token", "token"}.',
  async run({ flags, words: [instance = '', id = ''], json, environment }) {
    const { agentTokens } = await connect(flags, environment);
    const made = await agentTokens.rotate(instance, id);
    environment.streams.stdout.write(json ? `${JSON.stringify(made, null, 2)}\n` : tokenText(made));
    return exitCode.done;
  },
});
