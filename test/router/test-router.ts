/** A test router on a free port, with its executors. */
import type { Test } from 'tap';
import { listToolDefinitions } from '../../src/agents/tools/tool-list.ts';
import { type AgentRole, formatAgentToken } from '../../src/contract/agents/agent-token.ts';
import { systemClock } from '../../src/environment/clock.ts';
import type { FindExecutor } from '../../src/router/executor-locator.ts';
import { createRouter, type RouterOptions, routerLimits } from '../../src/router/router.ts';
import { defaultUpstreamTimeouts, openUpstream, type UpstreamTimeouts } from '../../src/router/upstream.ts';
import { createMemoryLog } from '../http/memory-log.ts';
import { startListener } from '../http/test-listener.ts';

/** A token of the right form. */
export function createToken(instance: string, role: AgentRole = 'test', letter = 'a'): string {
  return formatAgentToken({ instance, role }, letter.repeat(43));
}

/** Instances by the base URL of their executor. */
export function createFinder(baseUrls: Readonly<Record<string, string>>): FindExecutor {
  return (instance) => {
    const baseUrl = baseUrls[instance];
    return baseUrl === undefined ? undefined : { kind: 'at', url: `${baseUrl}/mcp` };
  };
}

/** Listens until the test ends. */
export async function startTestRouter(
  t: Test,
  findExecutor: FindExecutor,
  { limits = {}, ...options }: Partial<Omit<RouterOptions, 'find'>> & { limits?: Partial<UpstreamTimeouts> } = {},
) {
  const upstream = openUpstream({ ...defaultUpstreamTimeouts, ...limits });
  t.teardown(() => upstream.close());
  const { log, lines } = createMemoryLog();
  const app = createRouter({
    findExecutor: findExecutor,
    upstream,
    getToolDefinitions: listToolDefinitions,
    clock: systemClock,
    log,
    ...options,
  });
  const listener = await startListener(t, (request, env) => app.fetch(request, env), { limits: routerLimits });
  return { url: listener.url, port: listener.port, lines, listener };
}

/** A message of the older protocol, posted. */
export function createPost(
  token: string | undefined,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  };
}

/** A call of a tool. */
export const toolCall = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'author__tool_1', arguments: {} },
};
