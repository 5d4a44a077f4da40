/** `vp disconnect`: removes from agents' folders what `vp connect` added, and revokes their tokens. */

import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { toVpError, VpError, vpError } from '../../errors/vp-error.ts';
import {
  type DisconnectResult,
  disconnectFolder,
  planDisconnection,
} from '../../onboarding/agent-folders/disconnect.ts';
import { createFolderContext } from '../../onboarding/agent-folders/file-access.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { agentFolderFlags, parseAgentFolders } from './folder-flags.ts';
import { formatFolderChanges } from './folder-output.ts';

const { 'test-dir': testDir, 'product-dir': productDir } = agentFolderFlags;
const { ca, 'allow-insecure': allowInsecure } = controlPlaneFlags;

const flags = {
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'the instance',
    variable: 'VP_INSTANCE',
    kind: 'instance',
  },
  'test-dir': testDir,
  'product-dir': productDir,
  'dry-run': { type: 'boolean', default: false, describe: 'print what would change, and change nothing' },
  ca,
  'allow-insecure': allowInsecure,
} as const;

type ConnectionOptions = { readonly ca: string | undefined; readonly 'allow-insecure': boolean };

/** The reason why the token of a folder could not be revoked; undefined if it is revoked or no longer exists. */
async function revokeToken(
  { connection }: DisconnectResult,
  instance: string,
  options: ConnectionOptions,
  environment: Environment,
): Promise<string | undefined> {
  if (!connection) return 'its id is unknown';
  const { control_plane, agent_token_id: id } = connection;
  try {
    const client = await openClient({ ...options, 'control-plane': control_plane }, environment);
    await client.agentTokens.revoke(instance, id);
    return undefined;
  } catch (error) {
    if (error instanceof VpError && error.row.status === 404) return undefined;
    const { message, cure } = toVpError(error);
    return `${message}; ${cure}`;
  }
}

export const disconnectCommand = command({
  name: 'disconnect',
  summary: 'remove the tools of an instance from agents’ folders',
  positionals: [],
  flags,
  examples: [
    ['vp disconnect --instance shop --test-dir tests --product-dir app', 'also revokes the tokens of the two folders'],
  ],
  notes:
    'Removes only what `vp connect` added. Exit code 1: the folders are done, but a token could not be revoked. Revoke it ' +
    'with `vp agent-token revoke`, or on the page Settings.',
  async run({ flags, json, environment }) {
    const { instance } = flags;
    if (instance === undefined)
      throw vpError('FLAG_INVALID', { command: 'vp disconnect', flag: '--instance', problem: 'is needed' });
    const dependencies = createFolderContext(environment);
    const isDryRun = flags['dry-run'];
    const outcomes: (DisconnectResult & { readonly folder: string; readonly notEnded: string | undefined })[] = [];
    for (const { folder } of parseAgentFolders(flags, environment, 'vp disconnect')) {
      const outcome = await (isDryRun ? planDisconnection : disconnectFolder)(folder, instance, dependencies);
      const notEnded = isDryRun ? undefined : await revokeToken(outcome, instance, flags, environment);
      outcomes.push({ ...outcome, folder, notEnded });
    }
    const changes = outcomes.flatMap((outcome) => outcome.changes);
    const failures = outcomes.flatMap(({ folder, notEnded }) =>
      notEnded === undefined ? [] : { folder, problem: notEnded },
    );
    const warnings = failures.map(({ folder, problem }) => `! the token of ${folder} is still valid: ${problem}`);
    const closing = isDryRun ? 'nothing was changed' : [...warnings, 'disconnected'].join('\n');
    const document = { instance, dry_run: isDryRun, changes, tokens_not_ended: failures };
    const text = formatFolderChanges(`instance ${instance}`, changes, closing);
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return failures.length === 0 ? exitCode.done : exitCode.checkFailed;
  },
});
