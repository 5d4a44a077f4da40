/**
 * Messages to hubs, and streams of clients that listen, on the node:http request and response. All other requests to these paths,
 * and all of their paths in any other spelling, take the routes of the same endpoints.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { readOptionalBearerToken } from '../../http/bearer.ts';
import { createErrorResponse } from '../../http/error-response.ts';
import { NodeRequest } from '../../http/listener/node-request.ts';
import type { RawContext, RawHandler } from '../../http/listener/request-listener.ts';
import { minTrackedBytes } from '../../hub/access/unread-responses.ts';
import { JsonReply, jsonMediaType, type McpReply, StreamReply } from '../../hub/downstream/mcp-http.ts';
import { openHttpMetrics } from '../../metrics/http-metrics.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import type { ServerServices } from '../services.ts';
import { type HubEndpoint, mcpEndpoints } from './gateway-routes.ts';

const hubPath = /^\/hub\/([a-z\d-]{1,100})\/mcp$/;

/** Others are read in pieces, while their bounds are checked. */
const maxBodyBytes = 65_536;

type EndpointMatch = { readonly endpoint: HubEndpoint; readonly slug: string };

function findEndpoint(path: string): EndpointMatch | undefined {
  if (path === '/agent/mcp') return { endpoint: mcpEndpoints.agent, slug: '' };
  if (path === '/mcp') return { endpoint: mcpEndpoints.noHub, slug: '' };
  const slug = hubPath.exec(path)?.[1];
  return slug === undefined ? undefined : { endpoint: mcpEndpoints.hub, slug };
}

export function createMcpHandler(services: ServerServices): RawHandler {
  const metrics = services.metrics && openHttpMetrics(services.metrics);
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse, context: RawContext): Promise<void> => {
    const match = findEndpoint(incoming.url ?? '');
    if (!match) throw new TypeError('the path was accepted before');
    const reply = await answer(services, match, incoming, outgoing, context);
    metrics?.countResponse(match.endpoint.path, incoming.method ?? '', reply.status, undefined);
    if (reply instanceof JsonReply) await writeJson(outgoing, reply, context.headers);
    else if (reply instanceof StreamReply) reply.stream.writeTo(outgoing, context.headers, reply.onUnread);
    else context.respond(reply);
  };
  return {
    writesHeaders: true,
    accepts: (path, { method, url, headers }) =>
      url === path &&
      (method === 'POST' ? isSmall(headers['content-length']) : method === 'GET' && !hasBody(headers)) &&
      findEndpoint(path) !== undefined,
    handle: (...parameters) => void handle(...parameters),
  };
}

function isSmall(length: string | undefined): boolean {
  return Number(length ?? Number.NaN) <= maxBodyBytes;
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

async function answer(
  services: ServerServices,
  { endpoint, slug }: EndpointMatch,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { requestId, address, closing }: RawContext,
): Promise<McpReply> {
  const request = new NodeRequest(incoming, outgoing);
  try {
    const bearer = readOptionalBearerToken(request.headers);
    return await endpoint.answer(services, { request, requestId, address, bearer }, slug);
  } catch (thrown) {
    const hasLeft = outgoing.closed && !outgoing.writableFinished;
    const { method, url = '' } = incoming;
    return createErrorResponse(services.log, { requestId, closing, method: method ?? '', path: url, hasLeft }, thrown);
  }
}

const largeReplyLength = 65_536;

async function writeJson(outgoing: ServerResponse, reply: JsonReply, headers: readonly string[]): Promise<void> {
  const { status, onUnread } = reply;
  const isLarge = reply.length >= largeReplyLength;
  if (isLarge) await takeTurnForText(reply.length);
  if (outgoing.destroyed) return;
  const length = String(reply.byteLength);
  outgoing.writeHead(status, [...headers, 'Content-Type', jsonMediaType, 'Content-Length', length]);
  // Sockets reserve three bytes for each character of a text.
  if (isLarge) writeTogether(outgoing, reply.encode());
  else outgoing.end(reply.json);
  if (outgoing.writableLength >= minTrackedBytes) onUnread?.(outgoing);
}

/** In one write to the socket. */
function writeTogether(outgoing: ServerResponse, pieces: readonly Uint8Array[]): void {
  outgoing.cork();
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
  outgoing.uncork();
}
