import { Type } from '@sinclair/typebox';
import { vpError } from '../errors/vp-error.ts';
import { eventStream } from '../http/event-stream.ts';
import type { HumanCaller } from '../identity/caller.ts';
import { eventFeed } from './event-feed.ts';
import { route, type ServerRoute, type ServerServices } from './route.ts';

type Opening = {
  readonly services: ServerServices;
  readonly caller: HumanCaller;
  readonly request: Request;
  readonly closing: AbortSignal | undefined;
};

function open({ services, caller, request, closing }: Opening, from: Start): Response {
  const { control, identity, clock, log, events: settings, streams, reads } = services;
  const free = streams.take();
  if (!free) throw vpError('RATE_LIMITED', { retry_after_s: 5 });
  const allowed = () => identity.holds(caller);
  const over = new AbortController();
  const forget = identity.onEnd(caller, () => over.abort());
  async function* texts(signal: AbortSignal): AsyncGenerator<string, void> {
    const end = (): void => over.abort();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      yield* eventFeed({ changes: control.changes, reads, clock, settings, ...from, allowed }, over.signal);
    } catch (error) {
      log.error({ err: error }, 'an event stream broke');
    } finally {
      forget();
      free?.();
    }
  }
  return eventStream(texts, request.signal, closing);
}

type Start = { readonly instance: string | undefined; readonly sinceSeq: number | undefined };

/** What changes, as it changes. */
export const eventRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/events',
    operation: 'streamEvents',
    summary: 'Changes as server-sent events; resumes behind Last-Event-ID, or behind `since`',
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
      // A HEAD is answered without a body, so nothing would ever end the stream behind it.
      if (request.method === 'HEAD') return new Response(null, { headers: { 'Content-Type': 'text/event-stream' } });
      const sinceSeq = headers['last-event-id'] ?? query.since;
      return open({ services, caller, request, closing }, { instance: query.instance, sinceSeq });
    },
  }),
];
