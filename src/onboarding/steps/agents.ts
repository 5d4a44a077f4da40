/** Connects the folders of both agents and counts the tools that each agent gets from the router. */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'jsonc-parser';
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import { toVpError, VpError } from '../../errors/vp-error.ts';
import { constantDelay, retry } from '../../timing/retry.ts';
import { connectFolder, type FolderConnection, listMissingAdditions } from '../agent-folders/connect.ts';
import { findFolderConnection } from '../agent-folders/disconnect.ts';
import { createFolderContext } from '../agent-folders/file-access.ts';
import { getServerName, mcpFile } from '../agent-folders/server-entry.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { routerUrl } from '../platform/host-ports.ts';
import { actionNeeded, type Shortfall, upToDate, type WorkflowStep } from '../workflow/step.ts';

/** From the specification. */
const expectedToolCounts: Readonly<Record<AgentRole, number>> = { test: 16, product: 6 };
const countTimeoutMs = 15_000;
const countIntervalMs = 500;

type AgentFolder = { readonly role: AgentRole; readonly folder: string };

function listAgentFolders({ request }: OnboardingContext): readonly AgentFolder[] {
  return [
    { role: 'test', folder: request.testDir },
    { role: 'product', folder: request.productDir },
  ];
}

async function readFolderToken(folder: string, instance: string): Promise<string | undefined> {
  const text = await readFile(join(folder, mcpFile), 'utf8').catch(() => '{}');
  const value: unknown = parse(text)?.mcpServers?.[getServerName(instance)]?.headers?.Authorization;
  return typeof value === 'string' ? /^Bearer (\S+)$/.exec(value)?.[1] : undefined;
}

/** Undefined if the folder is not connected by this onboarding. */
async function findConnection(
  context: OnboardingContext,
  { folder, role }: AgentFolder,
): Promise<FolderConnection | undefined> {
  const { controlPlane } = context.request;
  const instance = requireState(context, 'instanceId');
  const recorded = await findFolderConnection(folder, instance, createFolderContext(context.ports.environment));
  const token = recorded?.control_plane === controlPlane ? await readFolderToken(folder, instance) : undefined;
  if (!recorded || token === undefined) return undefined;
  return { folder, role, instance, routerUrl, token, controlPlane, agentTokenId: recorded.agent_token_id };
}

/** Undefined without a connection, and if the agent gets no tools. */
async function countConnectedTools(
  { ports, signal }: OnboardingContext,
  connection: FolderConnection | undefined,
): Promise<number | undefined> {
  return connection && ports.countTools(routerUrl, connection.token, signal).catch(() => undefined);
}

/** Why a connected folder is not as connecting leaves it, such as a line of .gitignore that is gone; empty if it is. */
async function listDeviations(context: OnboardingContext, connection: FolderConnection): Promise<readonly string[]> {
  try {
    const missing = await listMissingAdditions(connection, createFolderContext(context.ports.environment));
    return missing.map(({ file, what }) => `${what} in ${file}`);
  } catch (error) {
    if (error instanceof VpError) return [error.message];
    throw error;
  }
}

export const agentsStep: WorkflowStep<OnboardingContext> = {
  id: 'agents',
  title: 'folders of the agents connected',
  async check(context) {
    const { state } = context;
    state.agents = {};
    for (const agentFolder of listAgentFolders(context)) {
      const connection = await findConnection(context, agentFolder);
      const tools = await countConnectedTools(context, connection);
      if (!connection || tools !== expectedToolCounts[agentFolder.role])
        return actionNeeded(`the ${agentFolder.role} agent is not connected`);
      const deviations = await listDeviations(context, connection);
      if (deviations.length > 0) return actionNeeded(deviations.join(', '));
      state.agents[agentFolder.role] = { tools, folder: agentFolder.folder };
    }
    return upToDate(formatAgents(context));
  },
  async act(context) {
    const shortfalls: Shortfall[] = [];
    for (const agentFolder of listAgentFolders(context)) {
      context.report(agentFolder.folder);
      const shortfall = await connectAgent(context, agentFolder);
      if (shortfall) shortfalls.push(shortfall);
    }
    const detail = formatAgents(context);
    if (shortfalls.length === 0) return { detail };
    const [reason, cure] = (['reason', 'cure'] as const).map((part) =>
      [...new Set(shortfalls.map((agentFolder) => agentFolder[part]))].join('; '),
    );
    return {
      detail,
      shortfall: { reason: reason ?? '', cure: cure ?? '', passes: shortfalls.every(({ passes }) => passes) },
    };
  },
};

function formatAgents({ state }: OnboardingContext): string {
  const formatCount = (role: AgentRole): string => `${role} agent ${state.agents?.[role]?.tools ?? 'no'} tools`;
  return `${formatCount('test')}, ${formatCount('product')}`;
}

async function connectAgent(context: OnboardingContext, agentFolder: AgentFolder): Promise<Shortfall | undefined> {
  const { state, signal } = context;
  const connection = await findConnection(context, agentFolder);
  const toolCountBefore = await countConnectedTools(context, connection);
  const isConnected = connection !== undefined && toolCountBefore === expectedToolCounts[agentFolder.role];
  const deviation = isConnected ? await restoreAdditions(context, connection) : undefined;
  const token = isConnected ? undefined : await reconnectAgent(context, agentFolder);
  const toolCount = token === undefined ? toolCountBefore : await waitForTools(context, token);
  state.agents = {
    ...state.agents,
    [agentFolder.role]: { tools: typeof toolCount === 'number' ? toolCount : undefined, folder: agentFolder.folder },
  };
  if (toolCount === expectedToolCounts[agentFolder.role]) return deviation;
  signal.throwIfAborted();
  const toolsText =
    typeof toolCount === 'number'
      ? `finds ${toolCount} tools, not ${expectedToolCounts[agentFolder.role]}`
      : `finds no tools: ${toolCount}`;
  const isForeignRouter = typeof toolCount === 'string' && /unrecognized router token/.test(toolCount);
  const foreignHolderText = isForeignRouter ? '; another process answers on 127.0.0.1:9765' : '';
  return {
    reason: `the ${agentFolder.role} agent ${toolsText}${foreignHolderText}`,
    cure: 'see `vp doctor`, then run the same command again',
    passes: false,
  };
}

/** Adds what is missing and keeps the token; what it refuses, such as a token that git tracks, only the user can change. */
async function restoreAdditions(
  { ports }: OnboardingContext,
  connection: FolderConnection,
): Promise<Shortfall | undefined> {
  try {
    await connectFolder(connection, createFolderContext(ports.environment));
    return undefined;
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { reason: error.message, cure: error.cure, passes: false };
  }
}

/** Creates a token and writes it into the folder. The previous token is revoked, and the new one if it cannot be written. */
async function reconnectAgent(context: OnboardingContext, { role, folder }: AgentFolder): Promise<string> {
  const { request, ports, signal } = context;
  const [client, instance] = [requireState(context, 'client'), requireState(context, 'instanceId')];
  const folderContext = createFolderContext(context.ports.environment);
  const connectionBefore = await findFolderConnection(folder, instance, folderContext);
  const name = `${basename(folder)} on ${ports.environment.hostname}`.slice(0, 100);
  const { agent_token, token } = await client.agentTokens.create(instance, { role, name }, { signal });
  const revokeToken = (id: string): Promise<void> => client.agentTokens.revoke(instance, id).catch(() => undefined);
  try {
    const connection = { folder, role, instance, routerUrl, token, controlPlane: request.controlPlane };
    await connectFolder({ ...connection, agentTokenId: agent_token.agent_token_id }, folderContext);
  } catch (error) {
    await revokeToken(agent_token.agent_token_id);
    throw error;
  }
  if (connectionBefore?.control_plane === request.controlPlane) await revokeToken(connectionBefore.agent_token_id);
  return token;
}

/** A router that has just started may not know the executor yet. */
async function waitForTools({ ports, signal }: OnboardingContext, token: string): Promise<number | string> {
  const { clock } = ports.environment;
  const deadlineMs = clock.monotonicMs() + countTimeoutMs;
  const options = {
    backoff: constantDelay(countIntervalMs),
    shouldRetry: () => !signal.aborted && clock.monotonicMs() < deadlineMs,
    pause: (delayMs: number) => clock.sleep(delayMs, signal),
  };
  try {
    return await retry(options, () => ports.countTools(routerUrl, token, signal));
  } catch (error) {
    signal.throwIfAborted();
    return toVpError(error).code === 'INTERNAL' ? String(error) : toVpError(error).message;
  }
}
