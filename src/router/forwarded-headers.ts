/**
 * Headers that the router forwards, as allow lists for both directions: everything else (Forwarded, Cookie, hop-by-hop
 * headers) is dropped, so nothing can be smuggled to an executor.
 */

/** Headers of MCP, including those of tool parameters. */
const mcpHeaderPattern = /^mcp-[a-z0-9!#$%&'*+.^_`|~-]+$/;

const executorHeaders = new Set([
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
const agentHeaders = new Set(['allow', 'cache-control', 'content-type', 'retry-after', 'www-authenticate']);

/** Headers for the executor, without those that the `Connection` header lists (RFC 9110 section 7.6.1). */
export function filterRequestHeaders(headers: Headers): Record<string, string> {
  const connectionHeaders = new Set((headers.get('connection') ?? '').toLowerCase().split(/[\s,]+/));
  const forwarded: Record<string, string> = {};
  for (const [name, value] of headers) {
    const isForwarded = executorHeaders.has(name) || mcpHeaderPattern.test(name);
    if (isForwarded && !connectionHeaders.has(name)) forwarded[name] = value;
  }
  return forwarded;
}

/** Headers for the agent, from a response of undici. */
export function filterResponseHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const forwarded = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (!agentHeaders.has(name) && !mcpHeaderPattern.test(name)) continue;
    for (const item of [value ?? []].flat()) forwarded.append(name, item);
  }
  return forwarded;
}
