import { resolve } from 'node:path';
import type { AgentTokenCreated } from '../contract/agent-api.ts';
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { connectionOf, replaceToken } from '../onboarding/folders/disconnect.ts';
import { placeOf } from '../onboarding/folders/place.ts';
import { tokenText } from './agent-token/token-text.ts';
import { exposures, tellExposures } from './agents/exposures.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

const name = 'agent-token rotate';

/** `vp agent-token rotate`. */
export const agentTokenRotateCommand = command({
  name,
  summary: 'make a new token for an agent; the old one ends at once',
  positionals: [
    { name: 'instance', describe: 'instance id', required: true },
    {
      name: 'token',
      describe: 'id of the token, as `vp agent-token list` shows it; that of the folder where one is named',
      required: false,
    },
  ],
  flags: {
    folder: { type: 'string', placeholder: '<dir>', describe: 'put the new token into this agent’s folder at once' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp agent-token rotate shop --folder ../shop-tests', 'the folder’s entry is changed in place'],
    ['vp agent-token rotate shop 3fa94c0be17d2266', 'the new token is shown, once'],
  ],
  notes: `It keeps its id, role and name, and acts in your name from then on.
With --json: {"agent_token", "token"}; with --folder too {"agent_token", "folder", "warnings"}.`,
  async run({ flags, words: [instance = '', given], json, environment }) {
    const folder = flags.folder === undefined ? undefined : resolve(environment.cwd, flags.folder);
    const id = given ?? (await idIn(folder, instance, environment));
    const { agentTokens } = await connect(flags, environment);
    const made = await agentTokens.rotate(instance, id);
    const { stdout } = environment.streams;
    const show = (): unknown => stdout.write(json ? `${JSON.stringify(made, null, 2)}\n` : tokenText(made));
    if (folder === undefined) {
      show();
      return exitCode.done;
    }
    // A token that cannot be put there would be lost.
    await replaceToken(folder, instance, made.token, placeOf(environment)).catch((error: unknown) => {
      show();
      throw error;
    });
    const done = { agent_token: made.agent_token, folder };
    const warnings = await exposures([folder], environment);
    stdout.write(json ? `${JSON.stringify({ ...done, warnings }, null, 2)}\n` : doneText(made, folder));
    if (!json) tellExposures(warnings, environment);
    return exitCode.done;
  },
});

/** The id of the token that a folder was connected with. Throws COMMAND_WORD_MISSING, FOLDER_ABSENT, FOLDER_NOT_CONNECTED. */
async function idIn(folder: string | undefined, instance: string, environment: Environment): Promise<string> {
  if (folder === undefined)
    throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '<token> or --folder' });
  const connection = await connectionOf(folder, instance, placeOf(environment));
  if (connection) return connection.agent_token_id;
  throw vpError('FOLDER_NOT_CONNECTED', { folder, instance });
}

function doneText({ agent_token: { instance, role } }: AgentTokenCreated, folder: string): string {
  return `the ${role} agent of ${instance} has a new token in ${folder}; the old one has ended\n`;
}
