/** `vp connect`: adds the tools of an instance to agents' folders. */

import { basename } from 'node:path';
import { isLoopbackHost } from '../../addresses/host-address.ts';
import type { Client } from '../../client/client.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { connectFolder, planConnection } from '../../onboarding/agent-folders/connect.ts';
import { findFolderConnection } from '../../onboarding/agent-folders/disconnect.ts';
import { createFolderContext, type FolderChange } from '../../onboarding/agent-folders/file-access.ts';
import { assertSeparateFolders, resolveFolder } from '../../onboarding/agent-folders/separate-folders.ts';
import { parseExecutorBaseUrl } from '../../router/executor-locator.ts';
import { findRouter, isRouter, type RouterAddress } from '../../router/router-presence.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import { agentFolderFlags, parseAgentFolders } from './folder-flags.ts';
import { findExposures, formatFolderChanges, printExposureWarnings } from './folder-output.ts';

const flags = {
  ...agentFolderFlags,
  router: {
    type: 'string',
    placeholder: '<url>',
    describe:
      'URL at which the agents’ clients reach the router (default: the one that runs, else http://127.0.0.1:9765)',
    variable: 'VP_ROUTER',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'print what would change, and change nothing' },
  ...controlPlaneFlags,
} as const;

type Call = Invocation<typeof flags>;

/** A connection to be made, without its token. */
type FolderConnection = {
  readonly folder: string;
  readonly role: AgentRole;
  readonly instance: string;
  readonly routerUrl: string;
};

/** The router that is named, else one that runs. Throws FLAG_INVALID. */
async function findRouterAddress({ flags, environment }: Call, instance: string): Promise<RouterAddress> {
  if (flags.router === undefined) return findRouter(environment.paths, instance);
  const checked = parseExecutorBaseUrl(flags.router);
  if ('url' in checked) return { url: checked.url, isRunning: await isRouter(checked.url) };
  throw vpError('FLAG_INVALID', { command: 'vp connect', flag: '--router', problem: checked.problem });
}

/** Checks everything that can fail before a token is created. */
async function planConnections(call: Call, instance: string, router: RouterAddress) {
  const folders = parseAgentFolders(call.flags, call.environment, 'vp connect');
  const [first, second] = folders;
  if (first && second) await assertSeparateFolders(first.folder, second.folder);
  const connections = folders.map(
    ({ folder, role }): FolderConnection => ({ folder, role, instance, routerUrl: `${router.url}/mcp` }),
  );
  const dependencies = createFolderContext(call.environment);
  const changes = await Promise.all(connections.map((connection) => planConnection(connection, dependencies)));
  return { connections, changes: changes.flat() };
}

/** Creates the token and writes it to the folder. Revokes it again if it cannot be written, and otherwise the token it replaces. */
async function connectAgentFolder(
  client: Client,
  connection: FolderConnection,
  { environment }: Call,
): Promise<readonly FolderChange[]> {
  const dependencies = createFolderContext(environment);
  const { instance, role } = connection;
  const previous = await findFolderConnection(connection.folder, instance, dependencies);
  const name = `${basename(await resolveFolder(connection.folder))} on ${environment.hostname}`.slice(0, 100);
  const { agent_token, token } = await client.agentTokens.create(instance, { role, name });
  const controlPlane = client.transport.baseUrl;
  try {
    const settings = { ...connection, token, controlPlane, agentTokenId: agent_token.agent_token_id };
    const changes = await connectFolder(settings, dependencies);
    if (previous?.control_plane === controlPlane) {
      await client.agentTokens.revoke(instance, previous.agent_token_id).catch(() => undefined);
    }
    return changes;
  } catch (error) {
    await client.agentTokens.revoke(instance, agent_token.agent_token_id).catch(() => undefined);
    throw error;
  }
}

/** The command that starts the router where the folders expect it. */
function formatRouterCommand({ url }: RouterAddress): string {
  const { port, hostname } = new URL(url);
  if (!isLoopbackHost(hostname)) return `the router at ${url}`;
  return `\`vp router${port === '9765' ? '' : ` --port ${port || '80'}`}\``;
}

export const connectCommand = command({
  name: 'connect',
  summary: 'give agents’ folders the tools of an instance',
  positionals: [],
  flags,
  examples: [
    ['vp connect --instance shop --test-dir tests --product-dir app', 'then start an agent in each of the two folders'],
    ['vp connect --test-dir tests --dry-run', 'the only registered instance; see what would change'],
  ],
  notes:
    'Adds entries to .mcp.json and .claude/settings.local.json, keeps both out of git, and writes instructions for the agent. Existing ' +
    'content is kept; `vp disconnect` removes only what was added. Agents need a running `vp router` and `vp executor`.',
  async run(call) {
    const { flags, environment, json } = call;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const router = await findRouterAddress(call, instance);
    const { connections, changes } = await planConnections(call, instance, router);
    const done: FolderChange[] = flags['dry-run'] ? [...changes] : [];
    if (!flags['dry-run'])
      for (const connection of connections) done.push(...(await connectAgentFolder(client, connection, call)));
    const warnings = await findExposures(
      connections.map(({ folder }) => folder),
      environment,
    );
    const document = {
      ...{ instance, control_plane: client.transport.baseUrl, dry_run: flags['dry-run'] },
      ...{ router: { url: `${router.url}/mcp`, running: router.isRunning }, changes: done, warnings },
    };
    const next = flags['dry-run']
      ? 'nothing was changed'
      : `next: ${router.isRunning ? '' : `start ${formatRouterCommand(router)}, then `}start the agent in ${connections.map(({ folder }) => folder).join(' and ')}`;
    const text = formatFolderChanges(
      `instance ${instance}\nrouter   ${router.url}/mcp (${router.isRunning ? 'running' : 'nothing answers there yet'})`,
      done,
      next,
    );
    environment.streams.stdout.write(
      json ? `${JSON.stringify(document, null, 2)}\n` : await completeCommands(text, call),
    );
    if (!json) printExposureWarnings(warnings, environment);
    return exitCode.done;
  },
});
