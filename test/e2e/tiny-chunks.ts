/** Servers that send their responses in chunks of one byte: six bytes on the wire, and a call of each reader, for each. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Test } from 'tap';
import { createRawServer, createTool } from '../hub/fixtures/raw-server.ts';
import { getPort } from '../targets/raw-target.ts';

const fillCount = 32_768;
const fill = Buffer.from('1\r\na\r\n'.repeat(fillCount));

/** Writes a response, each byte in a chunk of its own, as fast as the reader takes it: `start`, `count` times `a`, `end`. */
export async function writeTinyChunks(
  socket: Socket,
  contentType: string,
  { start, count, end }: { readonly start: string; readonly count: number; readonly end: string },
): Promise<void> {
  const write = (bytes: string | Buffer): Promise<unknown> => new Promise((resolve) => socket.write(bytes, resolve));
  const toChunks = (text: string): string => text.replaceAll(/[\s\S]/g, '1\r\n$&\r\n');
  await write(`HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  await write(toChunks(start));
  for (let left = count; left > 0 && !socket.destroyed; left -= fillCount)
    await write(left < fillCount ? toChunks('a'.repeat(left)) : fill);
  await write(`${toChunks(end)}0\r\n\r\n`);
}

export type TinyChunkServer = { readonly url: string };

async function listen(t: Test, server: Server): Promise<TinyChunkServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${getPort(server)}` };
}

/**
 * Responds to paths that end with `/large` with a JSON object of `bytes`, to `/events` with an event of `bytes` and a short one, to
 * others with a small JSON object.
 */
export function startTinyChunkTarget(t: Test, bytes: number): Promise<TinyChunkServer> {
  const [start, end] = ['{"count":3,"text":"', '"}'];
  const large = { start, count: bytes - start.length - end.length, end };
  const [eventStart, eventEnd] = ['data: ', '\n\ndata: last\n\n'];
  const events = { start: eventStart, count: bytes - eventStart.length - eventEnd.length, end: eventEnd };
  const server = createServer(({ url, socket }, response) => {
    if (url?.endsWith('/large')) void writeTinyChunks(socket, 'application/json', large);
    else if (url?.endsWith('/events')) void writeTinyChunks(socket, 'text/event-stream', events);
    else response.setHeader('Content-Type', 'application/json').end('{"count":3}');
  });
  return listen(t, server);
}

/** An MCP server whose tools `json` and `events` return a text of `bytes`. */
export function startTinyChunkUpstream(t: Test, bytes: number): Promise<TinyChunkServer> {
  const handle = createRawServer({ tools: () => [createTool('json'), createTool('events')] });
  const adapted = createAdaptorServer({ fetch: (request) => handle(request) });
  const result = { resultType: 'complete', content: [{ type: 'text', text: '|' }] };
  const server = createServer((incoming, outgoing) => {
    const tool = String(incoming.headers['mcp-name'] ?? '');
    if (tool !== 'json' && tool !== 'events') return void adapted.emit('request', incoming, outgoing);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { id }: { id: unknown } = JSON.parse(Buffer.concat(chunks).toString());
      const message = JSON.stringify({ jsonrpc: '2.0', id, result });
      const isJson = tool === 'json';
      const [start = '', end = ''] = (isJson ? message : `event: message\ndata: ${message}\n\n`).split('|');
      const text = { start, count: bytes, end };
      void writeTinyChunks(incoming.socket, isJson ? 'application/json' : 'text/event-stream', text);
    });
  });
  return listen(t, server);
}
