/** Both folders of the agents, connected, and what each agent finds there, asked through the router. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'jsonc-parser';
import type { AgentRole } from '../../contract/agent-token.ts';
import { asVpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Shortfall, type Step, todo } from '../engine/step.ts';
import { connectFolder, mcpFile } from '../folders/connect.ts';
import { connectionOf } from '../folders/disconnect.ts';
import { entryName } from '../folders/server-entry.ts';
import { routerUrl } from '../router-stack-of.ts';
import { folderPlace } from './folders.ts';

/** How many tools each agent has, says the specification. */
const expected: Readonly<Record<AgentRole, number>> = { test: 16, product: 6 };
const patienceMs = 15_000;
const pauseMs = 500;

type AgentFolder = { readonly role: AgentRole; readonly folder: string };

function agentFolders({ asked }: OnboardingContext): readonly AgentFolder[] {
  return [
    { role: 'test', folder: asked.testDir },
    { role: 'product', folder: asked.productDir },
  ];
}

/** The token that stands in a folder's file. */
async function tokenIn(folder: string, instance: string): Promise<string | undefined> {
  const text = await readFile(join(folder, mcpFile), 'utf8').catch(() => '{}');
  const value: unknown = parse(text)?.mcpServers?.[entryName(instance)]?.headers?.Authorization;
  return typeof value === 'string' ? /^Bearer (\S+)$/.exec(value)?.[1] : undefined;
}

/** Undefined where the agent would find no tools, or the folder is not connected by this onboarding. */
async function toolsOf(context: OnboardingContext, { folder }: AgentFolder): Promise<number | undefined> {
  const id = known(context, 'instanceId');
  const connection = await connectionOf(folder, id, folderPlace(context));
  const token = connection?.control_plane === context.asked.controlPlane ? await tokenIn(folder, id) : undefined;
  if (token === undefined) return undefined;
  return context.ports.countTools(routerUrl, token, context.signal).catch(() => undefined);
}

/** The step. */
export const agentsStep: Step<OnboardingContext> = {
  id: 'agents',
  title: 'folders of the agents connected',
  async check(context) {
    const { found } = context;
    found.agents = {};
    for (const one of agentFolders(context)) {
      const tools = await toolsOf(context, one);
      if (tools !== expected[one.role]) return todo(`the ${one.role} agent is to be connected`);
      found.agents[one.role] = { tools, folder: one.folder };
    }
    return done(agentsText(context));
  },
  async act(context) {
    const troubles: Shortfall[] = [];
    for (const one of agentFolders(context)) {
      context.say(one.folder);
      const trouble = await connected(context, one);
      if (trouble) troubles.push(trouble);
    }
    const detail = agentsText(context);
    if (troubles.length === 0) return { detail };
    const [reason, cure] = (['reason', 'cure'] as const).map((part) =>
      [...new Set(troubles.map((one) => one[part]))].join('; '),
    );
    return {
      detail,
      shortfall: { reason: reason ?? '', cure: cure ?? '', passes: troubles.every(({ passes }) => passes) },
    };
  },
};

function agentsText({ found }: OnboardingContext): string {
  const counted = (role: AgentRole): string => `${role} agent ${found.agents?.[role]?.tools ?? 'no'} tools`;
  return `${counted('test')}, ${counted('product')}`;
}

async function connected(context: OnboardingContext, one: AgentFolder): Promise<Shortfall | undefined> {
  const { found, signal } = context;
  const before = await toolsOf(context, one);
  const token = before === expected[one.role] ? undefined : await connectAnew(context, one);
  const counted = token === undefined ? before : await patientCount(context, token);
  found.agents = {
    ...found.agents,
    [one.role]: { tools: typeof counted === 'number' ? counted : undefined, folder: one.folder },
  };
  if (counted === expected[one.role]) return undefined;
  signal.throwIfAborted();
  const said =
    typeof counted === 'number' ? `finds ${counted} tools, not ${expected[one.role]}` : `finds no tools: ${counted}`;
  const isForeign = typeof counted === 'string' && /unrecognized router token/.test(counted);
  const holder = isForeign ? '; another process answers on 127.0.0.1:9765' : '';
  return {
    reason: `the ${one.role} agent ${said}${holder}`,
    cure: 'see `vp doctor`, then run the same command again',
    passes: false,
  };
}

/** Makes a token and writes it into the folder; one that could not be written, and the one before, are ended. */
async function connectAnew(context: OnboardingContext, { role, folder }: AgentFolder): Promise<string> {
  const { asked, ports, signal } = context;
  const [client, instance] = [known(context, 'client'), known(context, 'instanceId')];
  const place = folderPlace(context);
  const before = await connectionOf(folder, instance, place);
  const name = `${basename(folder)} on ${ports.environment.hostname}`.slice(0, 100);
  const { agent_token, token } = await client.agentTokens.make(instance, { role, name }, { signal });
  const end = (id: string): Promise<void> => client.agentTokens.end(instance, id).catch(() => undefined);
  try {
    const made = { folder, role, instance, routerUrl, token, controlPlane: asked.controlPlane };
    await connectFolder({ ...made, agentTokenId: agent_token.agent_token_id }, place);
  } catch (error) {
    await end(agent_token.agent_token_id);
    throw error;
  }
  if (before?.control_plane === asked.controlPlane) await end(before.agent_token_id);
  return token;
}

/** A router that has just started may not know the executor yet. */
async function patientCount({ ports, signal }: OnboardingContext, token: string): Promise<number | string> {
  const { clock } = ports.environment;
  const endMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    try {
      return await ports.countTools(routerUrl, token, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (clock.monotonicMs() >= endMs)
        return asVpError(error).code === 'INTERNAL' ? String(error) : asVpError(error).message;
      await clock.sleep(pauseMs, signal);
    }
  }
}
