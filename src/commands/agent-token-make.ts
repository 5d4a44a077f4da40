import { agentRoles } from '../contract/agent-token.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { tokenText } from './agent-token/token-text.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const name = 'agent-token make';

/** `vp agent-token make`. */
export const agentTokenMakeCommand = command({
  name,
  summary: 'make a token for an agent: good for one role on one instance',
  positionals: [{ name: 'instance', describe: 'instance id', required: true }],
  flags: {
    role: {
      type: 'string',
      placeholder: '<role>',
      choices: agentRoles,
      describe: 'test writes and runs scenarios, product reads what runs told',
    },
    name: { type: 'string', placeholder: '<label>', describe: 'what you will know it by, as the folder it stands in' },
    ...controlPlaneFlags,
  },
  examples: [['vp agent-token make shop --role test --name shop-tests', 'the token is shown, once']],
  notes: `The token acts in your name, and holds while you may change the instance.
With --json: {"agent_token", "token"}.`,
  async run({ flags, words: [instance = ''], json, environment }) {
    const role = agentRoles.find((one) => one === flags.role);
    if (role === undefined) throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '--role <role>' });
    const { agentTokens } = await connect(flags, environment);
    const made = await agentTokens.make(instance, { role, ...(flags.name === undefined ? {} : { name: flags.name }) });
    environment.streams.stdout.write(json ? `${JSON.stringify(made, null, 2)}\n` : tokenText(made));
    return exitCode.done;
  },
});
