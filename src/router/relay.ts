/** Relays one request of an agent to its executor, and the response back. */
import type { Readable } from 'node:stream';
import type { AgentTokenClaims } from '../contract/agents/agent-token.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { ListenerLog } from '../http/log.ts';
import { isObject } from '../json/json-object.ts';
import { formatEvent } from '../streams/event-stream.ts';
import { GrowingBuffer } from '../streams/growing-buffer.ts';
import { EventStreamError, hasResponse, splitAtEvents } from './event-stream.ts';
import type { ExecutorLocation } from './executor-locator.ts';
import { filterRequestHeaders, filterResponseHeaders } from './forwarded-headers.ts';
import { type GetToolDefinitions, type McpPost, respondLocally } from './local-response.ts';
import { type ExecutorEndpoint, type ExecutorResponse, toExecutorError, type Upstream } from './upstream.ts';

/** Responses of tools are limited, so executors never send a larger one. */
const maxResponseBytes = 16 * 1024 * 1024;

export type RelayOptions = {
  readonly upstream: Upstream;
  readonly getToolDefinitions: GetToolDefinitions;
  readonly log: ListenerLog;
};

/** Never rejects because of the executor: its failures become local responses, see `respondLocally`. */
export async function relayToExecutor(
  options: RelayOptions,
  { instance, role }: AgentTokenClaims,
  location: ExecutorLocation,
  post: McpPost,
): Promise<Response> {
  const tools = options.getToolDefinitions(role);
  const respondLocallyWith = (error: VpError): Promise<Response> => respondLocally(post, tools, error);
  if (location.kind === 'stopped') return respondLocallyWith(vpError('ROUTER_EXECUTOR_STOPPED', { instance }));
  const endpoint: ExecutorEndpoint = { instance, url: location.url };
  const toLoggedError = (thrown: unknown): VpError => {
    const error = toExecutorError(thrown, endpoint);
    if (!post.signal.aborted) options.log.warn({ code: error.code, instance, url: endpoint.url }, error.message);
    return error;
  };
  try {
    const { body, signal } = post;
    const response = await options.upstream.post(endpoint.url, {
      headers: filterRequestHeaders(post.headers),
      body,
      signal,
    });
    return await toForwardedResponse(response, endpoint, post, async (thrown) =>
      respondLocallyWith(toLoggedError(thrown)),
    );
  } catch (error) {
    return respondLocallyWith(toLoggedError(error));
  }
}

/** Throws ROUTER_EXECUTOR_AWAY or ROUTER_ANSWER_LOST for a response that an executor never sends. */
async function toForwardedResponse(
  response: ExecutorResponse,
  endpoint: ExecutorEndpoint,
  post: McpPost,
  respondLocallyWith: (thrown: unknown) => Promise<Response>,
): Promise<Response> {
  const { status } = response;
  const headers = filterResponseHeaders(response.headers);
  const mediaType = getMediaType(headers);
  if (mediaType === 'text/event-stream' && status === 200) {
    return new Response(relayEvents(response.body, post, respondLocallyWith), { status, headers });
  }
  const bytes = await readBody(response.body, endpoint);
  if (!isExecutorResponse(status, mediaType, bytes)) {
    const problem = `the server there (${status}, ${mediaType || 'no content type'}) has no tools for agents`;
    throw vpError('ROUTER_EXECUTOR_AWAY', { ...endpoint, problem });
  }
  return new Response(bytes.length === 0 ? null : Uint8Array.from(bytes), { status, headers });
}

function getMediaType(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Refusals of its listener are problems; 404, 405, 421 and 5xx mean that it is not an executor or cannot respond. */
function isExecutorResponse(status: number, mediaType: string, bytes: Uint8Array): boolean {
  if (status >= 300 && status < 400) return false;
  if (mediaType === 'application/json') return true;
  if (mediaType === 'application/problem+json') return ![404, 405, 421].includes(status) && status < 500;
  return bytes.length === 0 && status >= 200 && status < 300;
}

/** Reads the whole body first, so that an incomplete response is reported and not forwarded. */
async function readBody(body: Readable, endpoint: ExecutorEndpoint): Promise<Buffer> {
  const bytes = new GrowingBuffer();
  for await (const chunk of body) {
    bytes.append(chunk);
    if (bytes.length > maxResponseBytes) {
      throw vpError('ROUTER_ANSWER_LOST', {
        ...endpoint,
        problem: `its response is larger than ${maxResponseBytes} bytes`,
      });
    }
  }
  return bytes.takeAll();
}

/** Forwards the stream; if it ends without the response, appends one with the reason. */
function relayEvents(
  body: Readable,
  post: McpPost,
  respondLocallyWith: (thrown: unknown) => Promise<Response>,
): ReadableStream<Uint8Array> {
  const id = getRequestId(post.body);
  const events = splitAtEvents(body);
  let hasResponded = id === undefined;
  const createFinalEvents = async (thrown: unknown): Promise<Uint8Array | undefined> =>
    hasResponded || post.signal.aborted ? undefined : Buffer.from(await toEventText(await respondLocallyWith(thrown)));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await events.next();
        if (!next.done) {
          hasResponded ||= id !== undefined && hasResponse(next.value, id);
          controller.enqueue(next.value);
          return;
        }
        finish(controller, await createFinalEvents(new EventStreamError('it ended before the response')));
      } catch (error) {
        finish(controller, await createFinalEvents(error));
      }
    },
    cancel() {
      body.destroy();
    },
  });
}

function finish(controller: ReadableStreamDefaultController<Uint8Array>, finalEvents: Uint8Array | undefined): void {
  if (finalEvents) controller.enqueue(finalEvents);
  controller.close();
}

/** The id of the request that the stream must respond to; undefined for a subscription, which may end at any time. */
function getRequestId(body: Uint8Array): string | number | undefined {
  const message: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
  if (!isObject(message) || !('id' in message) || !('method' in message)) return undefined;
  const { id, method } = message;
  if (method === 'subscriptions/listen') return undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

async function toEventText(response: Response): Promise<string> {
  const text = await response.text();
  return getMediaType(response.headers) === 'text/event-stream' ? text : formatEvent({ type: 'message', data: text });
}
