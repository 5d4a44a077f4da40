/** A control plane, an executor with its listener, a target, and MCP clients with agent tokens: all real, all ended with the test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Test } from 'tap';
import { agentsOf } from '../../src/assemble/agents.ts';
import { type ControlPlane, startControlPlane } from '../../src/assemble/control-plane.ts';
import { listenForDirectRuns } from '../../src/assemble/executor-api.ts';
import { startExecutorRole } from '../../src/assemble/executor-role.ts';
import { heardGreeting } from '../../src/assemble/greeting.ts';
import { agentTokensOf } from '../../src/client/agent-tokens.ts';
import { createClient, type Client as VpClient } from '../../src/client/client.ts';
import type { AgentRole } from '../../src/contract/agent-token.ts';
import type { TargetDatabase } from '../../src/executor/database/target-database.ts';
import { configOrThrow, loadProject } from '../../src/project/load.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

/** The secrets of the target; no agent may ever see them. */
export const secrets = {
  API_TOKEN: 'Bq9-sekrit-token-of-the-target',
  DATABASE_PASSWORD: 'pA55-word-of-the-db',
} as const;

/** What a test works with. */
export type AgentHouse = {
  readonly plane: ControlPlane;
  /** With the owner's key. */
  readonly vp: VpClient;
  readonly url: string;
  readonly productFolder: string;
  readonly logged: string[];
  readonly executor: Awaited<ReturnType<typeof startExecutorRole>>['executor'];
  token(role: AgentRole): Promise<string>;
  /** A connected MCP client; the newer era negotiates, the older one begins with initialize. */
  agent(role: AgentRole, era?: Era): Promise<Agent>;
};

/** Which MCP client. */
export type Era = 'older' | 'newer';
export const eras: readonly Era[] = ['older', 'newer'];

/** A client and the short way to call with it. */
export type Agent = {
  readonly client: Client;
  /** Fails when the tool tells an error. */
  call(name: string, input?: Record<string, unknown>): Promise<Told>;
  /** Fails unless the tool tells an error. */
  refused(name: string, input?: Record<string, unknown>): Promise<Told>;
};

/** What a tool told. */
export type Told = { readonly text: string; readonly data: Readonly<Record<string, unknown>> };

/** A text among the data of an answer. */
export function textIn({ data }: Told, name: string): string {
  const value = data[name];
  if (typeof value === 'string') return value;
  throw new TypeError(`${name} is no text: ${JSON.stringify(data)}`);
}

/** The instance of every house. */
export const instance = 'shop';

/** Options of a house. */
export type HouseOptions = {
  readonly baseUrl: string;
  readonly config?: string;
  readonly database?: TargetDatabase;
  /** The target's log, as behind `--log`. */
  readonly logFrom?: string;
};

const configText = (baseUrl: string, more: string): string => `project:
  name: shop
targets:
  http:
    base_url: ${baseUrl}
  auth:
    type: bearer
    bearer_token: \${API_TOKEN}
  database:
    type: postgres
    jdbc_url: jdbc:postgresql://db:5432/signing
    username: reader
    password: \${DATABASE_PASSWORD}
${more}`;

/** Starts everything against a target at `baseUrl`. */
export async function agentHouse(
  t: Test,
  { baseUrl, config = '', database, logFrom }: HouseOptions,
): Promise<AgentHouse> {
  const { environment } = memoryEnvironment();
  const folder = t.testdir({ product: {}, plane: {}, executor: {} });
  const productFolder = join(folder, 'product');
  writeFileSync(join(productFolder, 'platform-config.yaml'), configText(baseUrl, config));
  const env = Object.entries({ ...secrets, PLAIN: 'a-plain-value', UNLISTED: 'an-unlisted-value' });
  writeFileSync(join(productFolder, '.env'), env.map(([name, value]) => `${name}=${value}\n`).join(''));
  const logged: string[] = [];
  const note = (fields: object, message: string): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log = { error: note, warn: () => {}, info: () => {}, debug: () => {} };
  const plane = await startControlPlane({
    environment,
    folder: join(folder, 'plane'),
    host: '127.0.0.1',
    port: 0,
    log,
  });
  await plane.control.instances.create({ instance_id: instance, tier: 'embedded' }, { name: 'owner' });
  const projectOptions = { use: 'local' } as const;
  const project = configOrThrow(await loadProject(productFolder, projectOptions));
  const { port: control, welcomed } = heardGreeting(plane.control.executorOf(instance));
  const role = await startExecutorRole({
    environment,
    control,
    project,
    folder: join(folder, 'executor'),
    logFrom,
    log,
  });
  const { executor } = role;
  await welcomed;
  const controlPlane = { url: plane.url, fetch };
  const agents = agentsOf({
    environment,
    executor,
    project,
    productFolder,
    projectOptions,
    controlPlane,
    database,
    logs: role.witnesses.log,
    log,
  });
  const api = await listenForDirectRuns({ environment, executor, folder, host: '127.0.0.1', port: 0, agents, log });
  const vp = createClient({ baseUrl: plane.url, token: plane.ownerKey, fetch });
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) await client.close();
    await role.close();
    await api.close();
    await plane.close();
  });
  const token = async (of: AgentRole): Promise<string> =>
    (await agentTokensOf(vp.transport).make(instance, { role: of })).token;
  const agent = async (of: AgentRole, era: Era = 'newer'): Promise<Agent> => {
    const client = await connected(`${api.url}/mcp`, await token(of), era);
    clients.push(client);
    return agentOf(t, client);
  };
  return { plane, vp, url: api.url, productFolder, logged, executor, token, agent };
}

/** Connects a client of the official SDK. */
export async function connected(url: string, token: string, era: Era): Promise<Client> {
  const options = era === 'newer' ? { versionNegotiation: { mode: 'auto' as const } } : {};
  const client = new Client({ name: 'scripted-agent', version: '1.0.0' }, options);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

function agentOf(t: Test, client: Client): Agent {
  const told = async (isError: boolean, name: string, input: Record<string, unknown> = {}): Promise<Told> => {
    const result = await client.callTool({ name, arguments: input }, { timeout: 150_000 });
    const [first] = result.content;
    const text = first?.type === 'text' ? first.text : '';
    if ((result.isError === true) !== isError) t.fail(`${name} told ${isError ? 'no ' : 'an '}error: ${text}`);
    return { text, data: Object.fromEntries(Object.entries(result.structuredContent ?? {})) };
  };
  return {
    client,
    call: (name, input) => told(false, name, input),
    refused: (name, input) => told(true, name, input),
  };
}
