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

/** A connection option must not take away what frames the message or names its target. */
const fixedHeaders = new Set(['host', 'content-length', 'transfer-encoding']);

/** Names and values in turn, as `rawHeaders` has them, without those of the connection and without `omitted` ones (in lower case). */
export function filterHeaders(rawHeaders: readonly string[], omitted: readonly string[] = []): string[] {
  const options = listConnectionOptions(rawHeaders);
  const passed: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const key = name.toLowerCase();
    const isOption = options.includes(key) && !fixedHeaders.has(key);
    if (isOption || connectionHeaders.has(key) || omitted.includes(key)) continue;
    passed.push(name, rawHeaders[index + 1] ?? '');
  }
  return passed;
}

function listConnectionOptions(rawHeaders: readonly string[]): string[] {
  const options: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'connection')
      for (const option of rawHeaders[index + 1]?.split(',') ?? []) options.push(option.trim().toLowerCase());
  return options;
}
