import { type Static, Type } from '@sinclair/typebox';
import { type AuditCall, AuditFormat, AuditFound, AuditQuery, AuditState } from '../contract/hub-audit-api.ts';
import { Moment } from '../contract/words.ts';
import { vpError } from '../errors/vp-error.ts';
import { eventStream } from '../http/event-stream.ts';
import { type AuditForm, auditForms } from '../hub/audit/formats/formats.ts';
import type { AuditWanted } from '../hub/audit/question.ts';
import type { Governance } from '../hub/governance.ts';
import type { PersonCaller } from '../identity/caller.ts';
import { callTail } from './hub-audit-tail.ts';
import { momentMs, PageParameters } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const base = '/api/v1/hubs/{hub}/audit';
const HubPath = Type.Object({ hub: Type.String({ minLength: 1, maxLength: 200 }) });
const Search = Type.Composite([PageParameters, AuditQuery]);
const Export = Type.Object({
  format: Type.Optional(AuditFormat),
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
});

function wantedOf(query: Static<typeof Search>): AuditWanted {
  const { limit = 50, request_id: requestId, from, to, ...rest } = query;
  return { ...rest, requestId, limit, fromMs: momentMs('from', from), toMs: momentMs('to', to) };
}

/** The text of an export as bytes; a reader that leaves ends it. */
function exported(form: AuditForm, calls: AsyncIterable<readonly AuditCall[]>): Response {
  const pages = calls[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(form.head)),
    async pull(controller) {
      const next = await pages.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(form.text(next.value)));
    },
    async cancel() {
      await pages.return?.();
    },
  });
  const headers = {
    'Content-Type': form.mediaType,
    'Content-Disposition': `attachment; filename="audit.${form.extension}"`,
    'Cache-Control': 'no-store',
  };
  return new Response(body, { headers });
}

/** Who called what in a hub: owners see all calls, others their own. */
export function hubAuditRoutes(governance: Governance): ServerRoute[] {
  return [
    route({
      method: 'GET',
      path: base,
      operation: 'searchHubAudit',
      summary: 'Calls of the hub, newest first; a page may be short although more follow',
      action: 'hub.act',
      params: HubPath,
      query: Search,
      answer: AuditFound,
      handler: async ({ caller, params, query }) => {
        const { items, next, lookedUntilMs } = await governance.searchAudit(caller, params.hub, wantedOf(query));
        const lookedUntil = lookedUntilMs === undefined ? null : new Date(lookedUntilMs).toISOString();
        return { items, next_cursor: next ?? null, looked_until: lookedUntil };
      },
    }),
    route({
      method: 'GET',
      path: `${base}/state`,
      operation: 'getHubAuditState',
      summary: 'Whether the audit can be written, and what is kept of this hub',
      action: 'hub.act',
      params: HubPath,
      answer: AuditState,
      handler: ({ caller, params }) => governance.auditState(caller, params.hub),
    }),
    route({
      method: 'GET',
      path: `${base}/export`,
      operation: 'exportHubAudit',
      summary: 'All calls of a time, oldest first (owners of the hub)',
      action: 'hub.act',
      params: HubPath,
      query: Export,
      media: ['application/x-ndjson', 'text/csv'],
      stream: true,
      handler: async ({ caller, params, query: { format = 'jsonl', from, to } }) => {
        const range = { fromMs: momentMs('from', from) ?? 0, toMs: momentMs('to', to) ?? Number.MAX_SAFE_INTEGER };
        return exported(auditForms[format], await governance.exportAudit(caller, params.hub, range));
      },
    }),
    route({
      method: 'GET',
      path: `${base}/tail`,
      operation: 'tailHubAudit',
      summary: 'Calls as they are written, as server-sent events',
      action: 'hub.act',
      params: HubPath,
      media: ['text/event-stream'],
      stream: true,
      handler: async ({ services, caller, params, request, closing }) => {
        if (closing?.aborted) throw vpError('SHUTTING_DOWN', {});
        const headers = { 'Content-Type': 'text/event-stream' };
        if (request.method === 'HEAD') return new Response(null, { headers });
        const free = services.streams.take();
        if (!free) throw vpError('RATE_LIMITED', { retry_after_s: 5 });
        try {
          return eventStream(await tailing(governance, services, caller, params.hub, free), request.signal, closing);
        } catch (error) {
          free();
          throw error;
        }
      },
    }),
  ];
}

type Services = Parameters<Parameters<typeof route>[0]['handler']>[0]['services'];

/** The stream of a caller, which ends with their credential. */
async function tailing(
  governance: Governance,
  { identity, clock }: Services,
  caller: PersonCaller,
  hub: string,
  free: () => void,
) {
  const tail = callTail(clock);
  const stop = await governance.tailAudit(caller, hub, tail.add);
  const forget = identity.onEnd(caller, tail.end);
  // Whoever left the hub must not see its next calls.
  const isStill = () =>
    governance.auditState(caller, hub).then(
      () => true,
      () => false,
    );
  return (signal: AbortSignal) =>
    tail.texts(signal, isStill, () => {
      stop();
      forget();
      free();
    });
}
