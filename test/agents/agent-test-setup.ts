/**
 * A control plane, an executor with its listener, a target, and MCP clients with agent tokens: all real, all end with
 * the test.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Test } from 'tap';
import { type ControlPlane, startControlPlane } from '../../src/assemble/control-plane/control-plane.ts';
import { openAgentEndpoint } from '../../src/assemble/executor/agent-endpoint.ts';
import { startExecutorListener } from '../../src/assemble/executor/executor-listener.ts';
import { startExecutorRole } from '../../src/assemble/executor/executor-role.ts';
import { createAgentTokensClient } from '../../src/client/agent-tokens.ts';
import { createClient, type Client as VpClient } from '../../src/client/client.ts';
import type { AgentRole } from '../../src/contract/agents/agent-token.ts';
import { observeHello } from '../../src/executor/control-plane/observed-control.ts';
import type { TargetDatabase } from '../../src/executor/database/target-database.ts';
import type { EvidenceWaitTimes } from '../../src/executor/evidence/collect-evidence.ts';
import { loadProject, requireConfig } from '../../src/project/load-project.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

/** The secrets of the target, which no agent may see. */
export const secrets = {
  API_TOKEN: 'Bq9-sekrit-token-of-the-target',
  DATABASE_PASSWORD: 'pA55-word-of-the-db',
} as const;

export type AgentTestSetup = {
  readonly plane: ControlPlane;
  /** With the owner's key. */
  readonly vp: VpClient;
  readonly url: string;
  readonly productFolder: string;
  readonly logLines: string[];
  readonly executor: Awaited<ReturnType<typeof startExecutorRole>>['executor'];
  token(role: AgentRole): Promise<string>;
  /** A connected MCP client; the newer era negotiates, the older one begins with initialize. */
  agent(role: AgentRole, era?: McpEra): Promise<Agent>;
};

/** The MCP era of a client. */
export type McpEra = 'older' | 'newer';
export const eras: readonly McpEra[] = ['older', 'newer'];

export type Agent = {
  readonly client: Client;
  /** Fails when the tool returns an error. */
  call(name: string, input?: Record<string, unknown>): Promise<ToolResponse>;
  /** Fails unless the tool returns an error. */
  callExpectingError(name: string, input?: Record<string, unknown>): Promise<ToolResponse>;
};

export type ToolResponse = { readonly text: string; readonly data: Readonly<Record<string, unknown>> };

/** A text from the data of a result. */
export function getText({ data }: ToolResponse, name: string): string {
  const value = data[name];
  if (typeof value === 'string') return value;
  throw new TypeError(`${name} is no text: ${JSON.stringify(data)}`);
}

/** The instance of every setup. */
export const instance = 'shop';

export type AgentTestOptions = {
  readonly baseUrl: string;
  readonly config?: string;
  readonly database?: TargetDatabase;
  /** The target's log, as passed to `--log`. */
  readonly logSource?: string;
  readonly evidenceWaitTimes?: EvidenceWaitTimes;
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

/** Starts everything with a target at `baseUrl`. */
export async function createAgentTestSetup(
  t: Test,
  { baseUrl, config = '', database, logSource, evidenceWaitTimes }: AgentTestOptions,
): Promise<AgentTestSetup> {
  const { environment } = memoryEnvironment();
  const folder = t.testdir({ product: {}, plane: {}, executor: {} });
  const productFolder = join(folder, 'product');
  writeFileSync(join(productFolder, 'platform-config.yaml'), configText(baseUrl, config));
  const env = Object.entries({ ...secrets, PLAIN: 'a-plain-value', UNLISTED: 'an-unlisted-value' });
  writeFileSync(join(productFolder, '.env'), env.map(([name, value]) => `${name}=${value}\n`).join(''));
  const logLines: string[] = [];
  const note = (fields: object, message: string): void => void logLines.push(`${message} ${JSON.stringify(fields)}`);
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
  const project = requireConfig(await loadProject(productFolder, projectOptions));
  const { port: control, helloResponse: helloReceived } = observeHello(plane.control.executorPort(instance));
  const role = await startExecutorRole({
    environment,
    control,
    project,
    folder: join(folder, 'executor'),
    logSource,
    evidenceWaitTimes,
    log,
  });
  const { executor } = role;
  await helloReceived;
  const controlPlane = { url: plane.url, fetch };
  const agents = openAgentEndpoint({
    environment,
    executor,
    project,
    productFolder,
    projectOptions,
    controlPlane,
    database,
    logs: role.evidenceSources.log,
    log,
  });
  const api = await startExecutorListener({ environment, executor, folder, host: '127.0.0.1', port: 0, agents, log });
  const vp = createClient({ baseUrl: plane.url, token: plane.ownerKey, fetch });
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) await client.close();
    await role.close();
    await api.close();
    await plane.close();
  });
  const token = async (forRole: AgentRole): Promise<string> =>
    (await createAgentTokensClient(vp.transport).create(instance, { role: forRole })).token;
  const agent = async (forRole: AgentRole, era: McpEra = 'newer'): Promise<Agent> => {
    const client = await connectClient(`${api.url}/mcp`, await token(forRole), era);
    clients.push(client);
    return createAgent(t, client);
  };
  return { plane, vp, url: api.url, productFolder, logLines, executor, token, agent };
}

/** Connects a client of the official SDK. */
export async function connectClient(url: string, token: string, era: McpEra): Promise<Client> {
  const options = era === 'newer' ? { versionNegotiation: { mode: 'auto' as const } } : {};
  const client = new Client({ name: 'scripted-agent', version: '1.0.0' }, options);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

function createAgent(t: Test, client: Client): Agent {
  const callTool = async (
    isError: boolean,
    name: string,
    input: Record<string, unknown> = {},
  ): Promise<ToolResponse> => {
    const result = await client.callTool({ name, arguments: input }, { timeout: 150_000 });
    const [first] = result.content;
    const text = first?.type === 'text' ? first.text : '';
    if ((result.isError === true) !== isError) t.fail(`${name} returned ${isError ? 'no ' : 'an '}error: ${text}`);
    return { text, data: Object.fromEntries(Object.entries(result.structuredContent ?? {})) };
  };
  return {
    client,
    call: (name, input) => callTool(false, name, input),
    callExpectingError: (name, input) => callTool(true, name, input),
  };
}
