/** The audit of a hub: owners see all calls, others their own. */
import type {
  AuditCall,
  AuditExportFormat,
  AuditQuery,
  AuditSearchResponse,
  AuditStorageStatus,
} from '../../contract/hubs/audit-api.ts';
import { tryParseJson } from '../../json/json-object.ts';
import { readServerSentEvents } from '../events.ts';
import { apiPath, type CallOptions, type PageParams } from '../transport/api-call.ts';
import type { BodyReader } from '../transport/fetch-response.ts';
import { createObjectGuard } from '../transport/json-response.ts';
import type { Transport } from '../transport/transport.ts';

/** `hub` is a slug. */
export type HubAuditClient = {
  /** Newest first; a page may have fewer items than `limit` although more follow. */
  search(hub: string, query?: AuditQuery & PageParams, options?: CallOptions): Promise<AuditSearchResponse>;
  getStatus(hub: string, options?: CallOptions): Promise<AuditStorageStatus>;
  /** The same as `readExport`, as a stream. */
  streamExport(hub: string, format: AuditExportFormat, range?: Pick<AuditQuery, 'from' | 'to'>): Promise<BodyReader>;
  /** All calls in the range, oldest first, as one text. */
  readExport(hub: string, format: AuditExportFormat, range?: Pick<AuditQuery, 'from' | 'to'>): Promise<string>;
  /** New calls over one connection: throws when it breaks, ends when the server ends it. */
  tail(hub: string, segments?: CallOptions & { onConnected?: () => void }): AsyncGenerator<AuditCall, void>;
};

const exportTimeoutMs = 600_000;
const silenceMs = 45_000;
const isCall = createObjectGuard<AuditCall>('seq', 'outcome');

export function createHubAuditClient(transport: Transport): HubAuditClient {
  const { json, text, stream, baseUrl } = transport;
  const path = (hub: string, ...segments: readonly string[]): string => apiPath('hubs', hub, 'audit', ...segments);
  const isSearchResponse = createObjectGuard<AuditSearchResponse>('items', 'next_cursor');
  const isStatus = createObjectGuard<AuditStorageStatus>('problem', 'last_seq');
  return {
    search: (hub, query = {}, options) => json({ method: 'GET', path: path(hub), query, ...options }, isSearchResponse),
    getStatus: (hub, options) => json({ method: 'GET', path: path(hub, 'state'), ...options }, isStatus),
    streamExport: (hub, format, range) =>
      stream({ method: 'GET', path: path(hub, 'export'), query: { format, ...range }, headers: { accept: '*/*' } }),
    readExport: (hub, format, range) =>
      text({ method: 'GET', path: path(hub, 'export'), query: { format, ...range }, timeoutMs: exportTimeoutMs }),
    async *tail(hub, { signal, onConnected } = {}) {
      const headers = { accept: 'text/event-stream' };
      const reader = await stream({ method: 'GET', path: path(hub, 'tail'), headers, signal });
      onConnected?.();
      for await (const { data } of readServerSentEvents(reader, baseUrl, silenceMs)) {
        const call = data === undefined ? undefined : tryParseJson(data);
        if (isCall(call)) yield call;
      }
    },
  };
}
