/**
 * Which headers pass the router. Both ways are lists of what passes: whatever else is sent (Forwarded, Cookie, headers of
 * one connection) stays here, so nothing can be smuggled to an executor.
 */

/** Headers of MCP; those of tools' parameters are named by the tools. */
const ofProtocol = /^mcp-[a-z0-9!#$%&'*+.^_`|~-]+$/;

const towardsExecutor = new Set([
  'accept',
  'accept-language',
  'authorization',
  'baggage',
  'content-type',
  'last-event-id',
  'traceparent',
  'tracestate',
  'user-agent',
]);
const towardsAgent = new Set(['allow', 'cache-control', 'content-type', 'retry-after', 'www-authenticate']);

/** What is sent to the executor; what the `Connection` header names belongs to the connection (RFC 9110 section 7.6.1). */
export function towardsExecutorOf(headers: Headers): Record<string, string> {
  const ofConnection = new Set((headers.get('connection') ?? '').toLowerCase().split(/[\s,]+/));
  const passing: Record<string, string> = {};
  for (const [name, value] of headers) {
    const passes = towardsExecutor.has(name) || ofProtocol.test(name);
    if (passes && !ofConnection.has(name)) passing[name] = value;
  }
  return passing;
}

/** What is sent to the agent of an executor's headers, as undici gives them. */
export function towardsAgentOf(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const passing = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (!towardsAgent.has(name) && !ofProtocol.test(name)) continue;
    for (const one of [value ?? []].flat()) passing.append(name, one);
  }
  return passing;
}
