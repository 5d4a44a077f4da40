/**
 * Responses with several messages as lines of JSON, where the protocol has an event stream. Some servers send them, among these the
 * example server of the conformance suite.
 */
import { isObject, tryParseJson } from '../../json/json-object.ts';
import type { UpstreamResponse } from '../../outbound/upstream-response-reader.ts';
import { TextLineSplitter } from '../../streams/text-line-splitter.ts';

const subscriptionMethod = 'subscriptions/listen';

/** Whether the response to a request is a stream of messages, whatever its content type says. */
export function isSubscriptionRequest(body: unknown): boolean {
  if (typeof body !== 'string' || !body.includes(subscriptionMethod)) return false;
  const message = tryParseJson(body);
  return isObject(message) && message.method === subscriptionMethod;
}

/** The messages of a text that is not one JSON value; undefined if its lines are no messages either. */
export function splitJsonLines(text: string): readonly string[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => isObject(tryParseJson(line))) ? lines : undefined;
}

/** The same response as an event stream, if it is a stream of JSON; an event is at most `maxBytes` long. */
export function toEventStream(response: UpstreamResponse, maxBytes: number): UpstreamResponse {
  const { body, headers } = response;
  if (!(body instanceof ReadableStream) || !headers['content-type']?.startsWith('application/json')) return response;
  const lines = new TextLineSplitter(maxBytes);
  let pending = '';
  const events = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const line of lines.split(Buffer.from(chunk))) send(line, controller);
    },
    flush(controller) {
      for (const line of lines.split(Buffer.from('\n'))) send(line, controller);
    },
  });
  // A message may have several lines.
  const send = (line: string, controller: TransformStreamDefaultController<Uint8Array>): void => {
    pending += line;
    if (pending.length > maxBytes) throw new RangeError(`a message is longer than ${maxBytes} characters`);
    if (!isObject(tryParseJson(pending))) return;
    controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${pending}\n\n`));
    pending = '';
  };
  return { ...response, headers: { ...headers, 'content-type': 'text/event-stream' }, body: body.pipeThrough(events) };
}
