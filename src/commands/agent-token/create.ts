import { command } from '../../command-line/command.ts';
import { agentRoles } from '../../contract/agents/agent-token.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceArgument } from '../control-plane/control-plane-flags.ts';
import { formatNewAgentToken } from './token-text.ts';

const name = 'agent-token create';

/** `vp agent-token create`. */
export const agentTokenCreateCommand = command({
  name,
  summary: 'create an agent token, valid for one role on one instance',
  positionals: [instanceArgument],
  flags: {
    role: {
      type: 'string',
      placeholder: '<role>',
      choices: agentRoles,
      describe: 'test: write and run scenarios; product: read the results of runs',
    },
    name: {
      type: 'string',
      placeholder: '<label>',
      describe: 'a label to recognise it by, such as the folder that holds it',
    },
    ...controlPlaneFlags,
  },
  examples: [['vp agent-token create shop --role test --name shop-tests', 'the token is shown once']],
  notes: `The token acts in your name, and is valid while you may change the instance.
With --json: {"agent_token", "token"}.`,
  async run({ flags, args: [instance = ''], json, environment }) {
    const role = agentRoles.find((candidate) => candidate === flags.role);
    if (role === undefined) throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '--role <role>' });
    const { agentTokens } = await openClient(flags, environment);
    const created = await agentTokens.create(instance, {
      role,
      ...(flags.name === undefined ? {} : { name: flags.name }),
    });
    environment.streams.stdout.write(json ? `${JSON.stringify(created, null, 2)}\n` : formatNewAgentToken(created));
    return exitCode.done;
  },
});
