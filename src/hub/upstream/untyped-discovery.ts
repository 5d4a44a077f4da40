/**
 * Discovery by servers of the newest era that omit `resultType`: the SDK's client would take them for servers of an older era,
 * which they are not, so nobody could call them. The missing member is added, and reported.
 */
import { isObject, tryParseJson } from '../../json/json-object.ts';
import { joinParts } from '../../json/json-parts.ts';
import type { UpstreamResponse } from '../../outbound/upstream-response-reader.ts';
import { readEvents } from '../../streams/event-reader.ts';

export const discoverMethod = 'server/discover';

/** Returns the message with the type of its result, or undefined if there is nothing to add. */
export function addResultType(message: unknown): Record<string, unknown> | undefined {
  if (!isObject(message) || !isObject(message.result) || message.result.resultType !== undefined) return undefined;
  return { ...message, result: { ...message.result, resultType: 'complete' } };
}

/** `onMissing` is called if the type was missing in a successful response to a discovery. */
export async function addDiscoveryType(
  requestBody: unknown,
  response: UpstreamResponse,
  onMissing: () => void,
): Promise<UpstreamResponse> {
  const isDiscovery = typeof requestBody === 'string' && requestBody.includes(`"${discoverMethod}"`);
  if (!isDiscovery || response.status !== 200) return response;
  const text = await readResponseText(response);
  const completed = addResultType(tryParseJson(text));
  if (completed) onMissing();
  const headers = { ...response.headers, 'content-type': 'application/json' };
  return { ...response, headers, body: completed ? JSON.stringify(completed) : text };
}

/** The text of the only response. */
async function readResponseText({ body }: UpstreamResponse): Promise<string> {
  if (typeof body === 'string' || body === null) return body ?? '';
  if (body instanceof Uint8Array) return joinParts([body]);
  for await (const { data } of readEvents(body)) {
    const message = tryParseJson(data);
    if (isObject(message) && message.method === undefined) return data;
  }
  return '';
}
