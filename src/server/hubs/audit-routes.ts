import { type Static, Type } from '@sinclair/typebox';
import {
  type AuditCall,
  AuditExportFormat,
  AuditQuery,
  AuditSearchResponse,
  AuditStorageStatus,
} from '../../contract/hubs/audit-api.ts';
import { Timestamp } from '../../contract/schemas.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { AuditSearch } from '../../hub/audit/audit-search.ts';
import type { AuditFormatter } from '../../hub/audit/formats/audit-formatter.ts';
import { auditFormatters } from '../../hub/audit/formats/formats.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { createEventStreamResponse } from '../../streams/event-stream.ts';
import { HubPath, PageParameters, parseTimestampMs } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';
import { createAuditCallStream } from './audit-call-stream.ts';

const auditPath = '/api/v1/hubs/{hub}/audit';
const Search = Type.Composite([PageParameters, AuditQuery]);
const Export = Type.Object({
  format: Type.Optional(AuditExportFormat),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});

function toAuditQuery(query: Static<typeof Search>): AuditSearch {
  const { limit = 50, request_id: requestId, from, to, ...filter } = query;
  return { ...filter, requestId, limit, fromMs: parseTimestampMs('from', from), toMs: parseTimestampMs('to', to) };
}

/** The bytes of an export; cancelled when the reader disconnects. */
function createExportResponse(format: AuditFormatter, calls: AsyncIterable<readonly AuditCall[]>): Response {
  const pages = calls[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(format.header)),
    async pull(controller) {
      const next = await pages.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(format.render(next.value)));
    },
    async cancel() {
      await pages.return?.();
    },
  });
  const headers = {
    'Content-Type': format.mediaType,
    'Content-Disposition': `attachment; filename="audit.${format.extension}"`,
    'Cache-Control': 'no-store',
  };
  return new Response(body, { headers });
}

/** The audit of a hub: owners see all calls, other members their own. */
export const hubAuditRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: auditPath,
    operation: 'searchHubAudit',
    summary: 'Calls of the hub, newest first; a page may have fewer items than the limit although more follow',
    action: 'hub.act',
    params: HubPath,
    query: Search,
    response: AuditSearchResponse,
    handler: async ({ services, caller, params, query }) => {
      const { governance } = services.hubGateway;
      const { items, next, searchedUntilMs } = await governance.searchAudit(caller, params.hub, toAuditQuery(query));
      const searchedUntil = searchedUntilMs === undefined ? null : new Date(searchedUntilMs).toISOString();
      return { items, next_cursor: next ?? null, looked_until: searchedUntil };
    },
  }),
  route({
    method: 'GET',
    path: `${auditPath}/state`,
    operation: 'getHubAuditState',
    summary: 'Whether the audit can be written, and the range of stored entries of this hub',
    action: 'hub.act',
    params: HubPath,
    response: AuditStorageStatus,
    handler: ({ services, caller, params }) => services.hubGateway.governance.getAuditState(caller, params.hub),
  }),
  route({
    method: 'GET',
    path: `${auditPath}/export`,
    operation: 'exportHubAudit',
    summary: 'All calls in a time range, oldest first (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    query: Export,
    media: ['application/x-ndjson', 'text/csv'],
    stream: true,
    handler: async ({ services, caller, params, query: { format = 'jsonl', from, to } }) => {
      const { governance } = services.hubGateway;
      const range = {
        fromMs: parseTimestampMs('from', from) ?? 0,
        toMs: parseTimestampMs('to', to) ?? Number.MAX_SAFE_INTEGER,
      };
      return createExportResponse(auditFormatters[format], await governance.exportAudit(caller, params.hub, range));
    },
  }),
  route({
    method: 'GET',
    path: `${auditPath}/tail`,
    operation: 'tailHubAudit',
    summary: 'New calls as server-sent events',
    action: 'hub.act',
    params: HubPath,
    media: ['text/event-stream'],
    stream: true,
    handler: async ({ services, caller, params, request, closing }) => {
      if (closing?.aborted) throw vpError('SHUTTING_DOWN', {});
      const headers = { 'Content-Type': 'text/event-stream' };
      if (request.method === 'HEAD') return new Response(null, { headers });
      const releaseSlot = services.streamSlots.take();
      if (!releaseSlot) throw vpError('RATE_LIMITED', { retry_after_s: 5 });
      try {
        return createEventStreamResponse(
          await openCallStream(services, caller, params.hub, releaseSlot),
          request.signal,
          closing,
        );
      } catch (error) {
        releaseSlot();
        throw error;
      }
    },
  }),
];

/** The stream of a caller, which ends when their credential is revoked. */
async function openCallStream(
  { identity, hub: { onAccessEnded }, clock, hubGateway: { governance } }: ServerServices,
  caller: PersonCaller,
  hub: string,
  releaseSlot: () => void,
) {
  const callStream = createAuditCallStream(clock);
  const listeners = [identity.onRevoked(caller, callStream.close), onAccessEnded(callStream.recheck)];
  const unsubscribe = (): void => {
    for (const stopListening of listeners) stopListening();
  };
  const tail = await governance.tailAudit(caller, hub, callStream.add).catch((error: unknown) => {
    unsubscribe();
    throw error;
  });
  // Neither an expired key, nor a removed member, nor one who was an owner may see further calls.
  const isAllowed = async () => {
    const maySee = tail.maySee().catch(() => false);
    return (await identity.isCredentialValid(caller)) && (await maySee);
  };
  return (signal: AbortSignal) =>
    callStream.texts(signal, isAllowed, () => {
      tail.stop();
      unsubscribe();
      releaseSlot();
    });
}
