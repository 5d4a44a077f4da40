import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { CreateAgentTokenResponse } from '../../contract/agents/agent-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { findFolderConnection, replaceToken } from '../../onboarding/agent-folders/disconnect.ts';
import { createFolderContext } from '../../onboarding/agent-folders/file-access.ts';
import { findExposures, printExposureWarnings } from '../agents/folder-output.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceArgument } from '../control-plane/control-plane-flags.ts';
import { formatNewAgentToken } from './token-text.ts';

const name = 'agent-token rotate';

/** `vp agent-token rotate`. */
export const agentTokenRotateCommand = command({
  name,
  summary: 'replace an agent token; the old one is revoked at once',
  positionals: [
    instanceArgument,
    {
      name: 'token',
      describe: 'id of the token, see `vp agent-token list`; with --folder: the token of that folder unless given',
      required: false,
      kind: 'agent-token',
    },
  ],
  flags: {
    folder: { type: 'string', placeholder: '<dir>', describe: 'write the new token to this agent’s folder' },
    ...controlPlaneFlags,
  },
  examples: [
    ['vp agent-token rotate shop --folder ../shop-tests', 'replaces the token in the folder’s entry'],
    ['vp agent-token rotate shop 3fa94c0be17d2266', 'the new token is shown once'],
  ],
  notes: `The new token keeps the id, role and name, and acts in your name.
With --json: {"agent_token", "token"}; with --folder too {"agent_token", "folder", "warnings"}.`,
  async run({ flags, args: [instance = '', tokenId], json, environment }) {
    const folder = flags.folder === undefined ? undefined : resolve(environment.cwd, flags.folder);
    const id = tokenId ?? (await readTokenId(folder, instance, environment));
    const { agentTokens } = await openClient(flags, environment);
    const created = await agentTokens.rotate(instance, id);
    const { stdout } = environment.streams;
    const printToken = (): unknown =>
      stdout.write(json ? `${JSON.stringify(created, null, 2)}\n` : formatNewAgentToken(created));
    if (folder === undefined) {
      printToken();
      return exitCode.done;
    }
    // The token is shown once only: print it if it cannot be written to the folder.
    await replaceToken(folder, instance, created.token, createFolderContext(environment)).catch((error: unknown) => {
      printToken();
      throw error;
    });
    const done = { agent_token: created.agent_token, folder };
    const warnings = await findExposures([folder], environment);
    stdout.write(json ? `${JSON.stringify({ ...done, warnings }, null, 2)}\n` : formatRotation(created, folder));
    if (!json) printExposureWarnings(warnings, environment);
    return exitCode.done;
  },
});

/** The id of the token in the entry of a folder. Throws COMMAND_WORD_MISSING, FOLDER_ABSENT, FOLDER_NOT_CONNECTED. */
async function readTokenId(folder: string | undefined, instance: string, environment: Environment): Promise<string> {
  if (folder === undefined)
    throw vpError('COMMAND_WORD_MISSING', { command: `vp ${name}`, word: '<token> or --folder' });
  const connection = await findFolderConnection(folder, instance, createFolderContext(environment));
  if (connection) return connection.agent_token_id;
  throw vpError('FOLDER_NOT_CONNECTED', { folder, instance });
}

function formatRotation({ agent_token: { instance, role } }: CreateAgentTokenResponse, folder: string): string {
  return `the ${role} agent of ${instance} has a new token in ${folder}; the old token is revoked\n`;
}
