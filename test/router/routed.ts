/** A router of a test on a free port, and who it leads to. */
import type { Test } from 'tap';
import { toolDefinitions } from '../../src/agents/definitions.ts';
import { type AgentRole, agentTokenOf } from '../../src/contract/agent-token.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { createRouter, type RouterOptions, routerLimits } from '../../src/router/router.ts';
import { openUpstream, type UpstreamLimits, upstreamLimits } from '../../src/router/upstream.ts';
import type { FindExecutor } from '../../src/router/whereabouts.ts';
import { keptLog } from '../http/kept-log.ts';
import { listening } from '../http/listening.ts';

/** A token of the right form. */
export function tokenOf(instance: string, role: AgentRole = 'test', letter = 'a'): string {
  return agentTokenOf({ instance, role }, letter.repeat(43));
}

/** Instances by the base URL of their executor. */
export function leadingTo(bases: Readonly<Record<string, string>>): FindExecutor {
  return (instance) => {
    const base = bases[instance];
    return base === undefined ? undefined : { kind: 'at', url: `${base}/mcp` };
  };
}

/** Listens until the test ends. */
export async function routed(
  t: Test,
  find: FindExecutor,
  { limits = {}, ...options }: Partial<Omit<RouterOptions, 'find'>> & { limits?: Partial<UpstreamLimits> } = {},
) {
  const upstream = openUpstream({ ...upstreamLimits, ...limits });
  t.teardown(() => upstream.close());
  const { log, lines } = keptLog();
  const app = createRouter({ find, upstream, toolsOf: toolDefinitions, clock: systemClock, log, ...options });
  const listener = await listening(t, (request, env) => app.fetch(request, env), { limits: routerLimits });
  return { url: listener.url, port: listener.port, lines, listener };
}

/** A message of the older protocol, posted. */
export function posted(
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
export const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'author__tool_1', arguments: {} } };
