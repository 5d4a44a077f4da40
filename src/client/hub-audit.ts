/** The audit of a hub: owners see all calls, others their own. */
import type { AuditCall, AuditFormat, AuditFound, AuditQuery, AuditState } from '../contract/hub-audit-api.ts';
import { objectWith, parsedJson } from './answer.ts';
import { at, type Giving, type PageWanted } from './call.ts';
import { blocksOf } from './events.ts';
import type { BodyReader, Transport } from './transport.ts';

/** Calls of contract/hub-audit-api.ts; `hub` is a slug. */
export type HubAuditClient = {
  /** Newest first; a page may be short although more follow. */
  search(hub: string, wanted?: AuditQuery & PageWanted, giving?: Giving): Promise<AuditFound>;
  state(hub: string, giving?: Giving): Promise<AuditState>;
  /** The same as {@link exported}, as it comes. */
  exporting(hub: string, format: AuditFormat, range?: Pick<AuditQuery, 'from' | 'to'>): Promise<BodyReader>;
  /** All calls of a time, oldest first, as one text. */
  exported(hub: string, format: AuditFormat, range?: Pick<AuditQuery, 'from' | 'to'>): Promise<string>;
  /** Calls as they are written, of one connection: throws when it breaks, ends when the other side ends it. */
  tail(hub: string, more?: Giving & { onConnected?: () => void }): AsyncGenerator<AuditCall, void>;
};

const exportLimitMs = 600_000;
const silenceMs = 45_000;
const isCall = objectWith<AuditCall>('seq', 'outcome');

/** See {@link HubAuditClient}. */
export function hubAuditOf(transport: Transport): HubAuditClient {
  const { json, text, stream, baseUrl } = transport;
  const path = (hub: string, ...more: readonly string[]): string => at('hubs', hub, 'audit', ...more);
  const isFound = objectWith<AuditFound>('items', 'next_cursor');
  const isState = objectWith<AuditState>('problem', 'last_seq');
  return {
    search: (hub, query = {}, giving) => json({ method: 'GET', path: path(hub), query, ...giving }, isFound),
    state: (hub, giving) => json({ method: 'GET', path: path(hub, 'state'), ...giving }, isState),
    exporting: (hub, format, range) =>
      stream({ method: 'GET', path: path(hub, 'export'), query: { format, ...range }, headers: { accept: '*/*' } }),
    exported: (hub, format, range) =>
      text({ method: 'GET', path: path(hub, 'export'), query: { format, ...range }, limitMs: exportLimitMs }),
    async *tail(hub, { signal, onConnected } = {}) {
      const headers = { accept: 'text/event-stream' };
      const reader = await stream({ method: 'GET', path: path(hub, 'tail'), headers, signal });
      onConnected?.();
      for await (const { data } of blocksOf(reader, baseUrl, silenceMs)) {
        const call = data === undefined ? undefined : parsedJson(data);
        if (isCall(call)) yield call;
      }
    },
  };
}
