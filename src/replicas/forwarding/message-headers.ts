/** Headers of a message that passes through a replica (RFC 9110 section 7.6.1). */

import type { IncomingMessage } from 'node:http';

export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** They belong to one connection. `expect` was answered by the first replica; `te` and `trailer` announce what is not forwarded. */
const connectionHeaders = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'upgrade', 'expect', 'http2-settings'],
]);

/** Names and values in turn, as `rawHeaders` has them, without those of the connection and without `omitted` ones. */
export function filterHeaders(rawHeaders: readonly string[], omitted: readonly string[] = []): string[] {
  const removed = new Set([...connectionHeaders, ...omitted]);
  for (const [name, value] of toPairs(rawHeaders))
    if (name.toLowerCase() === 'connection')
      for (const listed of value.split(',')) removed.add(listed.trim().toLowerCase());
  // A connection option must not take away what frames the message or names its target.
  for (const name of ['host', 'content-length']) removed.delete(name);
  if (!omitted.includes('transfer-encoding')) removed.delete('transfer-encoding');
  return toPairs(rawHeaders)
    .filter(([name]) => !removed.has(name.toLowerCase()))
    .flat();
}

function toPairs(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  return pairs;
}
