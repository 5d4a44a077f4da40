import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import type { HumanCaller } from '../../identity/caller.ts';
import { createEventStreamResponse } from '../../streams/event-stream.ts';
import { route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';
import { createEventFeed } from './event-feed.ts';

type EventStreamRequest = {
  readonly services: ServerServices;
  readonly caller: HumanCaller;
  readonly request: Request;
  readonly closing: AbortSignal | undefined;
};

function openEventStream(
  { services, caller, request, closing }: EventStreamRequest,
  start: EventStreamStart,
): Response {
  const { control, identity, clock, log, events: settings, streamSlots, sharedReads } = services;
  const releaseSlot = streamSlots.take();
  if (!releaseSlot) throw vpError('RATE_LIMITED', { retry_after_s: 5 });
  const isAllowed = () => identity.isCredentialValid(caller);
  const controller = new AbortController();
  const unsubscribe = identity.onRevoked(caller, () => controller.abort());
  async function* texts(signal: AbortSignal): AsyncGenerator<string, void> {
    const abort = (): void => controller.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      yield* createEventFeed(
        { changes: control.changes, reads: sharedReads, clock, settings, ...start, isAllowed },
        controller.signal,
      );
    } catch (error) {
      log.error({ err: error }, 'an event stream failed');
    } finally {
      unsubscribe();
      releaseSlot?.();
    }
  }
  return createEventStreamResponse(texts, request.signal, closing);
}

type EventStreamStart = { readonly instance: string | undefined; readonly sinceSeq: number | undefined };

export const eventRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/events',
    operation: 'streamEvents',
    summary: 'Changes as server-sent events; resumes after Last-Event-ID, or after `since`',
    action: 'event.read',
    query: Type.Object({
      instance: Type.Optional(Type.String({ maxLength: 200 })),
      since: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    headers: Type.Object({ 'last-event-id': Type.Optional(Type.Integer({ minimum: 0 })) }),
    media: ['text/event-stream'],
    stream: true,
    handler: async ({ services, caller, query, headers, request, closing }) => {
      if (query.instance !== undefined) await services.control.instances.get(query.instance);
      if (closing?.aborted) throw vpError('SHUTTING_DOWN', {});
      // A HEAD response has no body, so nothing would ever end its stream.
      if (request.method === 'HEAD') return new Response(null, { headers: { 'Content-Type': 'text/event-stream' } });
      const sinceSeq = headers['last-event-id'] ?? query.since;
      return openEventStream({ services, caller, request, closing }, { instance: query.instance, sinceSeq });
    },
  }),
];
