/**
 * Responses that no message can precede, as plain JSON instead of a stream with one event: every HTTP tool can read
 * them.
 */
import { parseEvents } from '../../streams/event-reader.ts';
import { parseRpcRequest } from './rpc-request.ts';

const singleResponseMethods = new Set([
  'initialize',
  'ping',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Returns plain JSON for methods of that kind, otherwise the same response. */
export async function toJsonResponse(response: Response, body: unknown): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !singleResponseMethods.has(parseRpcRequest(body).method)) return response;
  // An event without data only announces that the stream can be resumed.
  const event = parseEvents(await response.text()).find(({ data }) => data !== '');
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  headers.delete('connection');
  return new Response(event?.data ?? '', { status: response.status, headers });
}
