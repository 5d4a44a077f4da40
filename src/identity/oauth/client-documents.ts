/**
 * Programs whose id is the address of a document about them (OAuth Client ID Metadata Document). Whoever opens the
 * authorization page makes us fetch it: so it is fetched by the guarded way, seldom, bounded, and looked at like a registration.
 */
import type { LookupFunction } from 'node:net';
import type { Configuration } from 'oidc-provider';
import type { Clock } from '../../environment/clock.ts';
import { type GuardedFetch, guardedFetch } from '../../outbound/guarded-fetch.ts';
import type { IdentityContext } from '../context.ts';
import { createAllowance } from '../network-allowance.ts';
import { isDocumentId } from './asking-client.ts';
import { admittedClient } from './client-metadata.ts';

/** How documents are fetched; see `guardedFetch`. */
export type ClientDocumentSettings = {
  readonly allowPrivate: boolean;
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly lookup?: LookupFunction;
};

/** Documents larger than this are no documents. */
const documentLimitBytes = 16 * 1024;
const longestId = 500;
/** After the longest wait for a document: by then every failure is one. */
const marginMs = 250;
/** The OAuth server looks for a client that it did not find once more, in the same request. */
const againMs = 2_000;
const windowMs = 60_000;
const fetchesOfAllAMinute = 120;

type DocumentContext = Pick<IdentityContext, 'clock' | 'tell' | 'settings'>;

/** What the OAuth server is given. */
export type ClientDocuments = {
  readonly fetch: NonNullable<Configuration['fetch']>;
  /** Whether a document may be fetched now for a caller at `address`; without one, for ourselves. */
  mayFetch(clientId: string, address: string | undefined): boolean;
  close(): Promise<void>;
};

/** Makes it; nothing is fetched yet. */
export function clientDocuments(context: DocumentContext, settings: ClientDocumentSettings): ClientDocuments {
  const { clock, tell } = context;
  const outward = guardedFetch({ ...settings, answerLimitBytes: documentLimitBytes });
  const tellOf = (network: string): void => tell({ event: 'oauth_documents_limited', level: 'warn', network });
  const byNetwork = createAllowance(clock, { most: context.settings.oauth.documents, windowMs }, tellOf);
  const ofAll = createAllowance(clock, { most: fetchesOfAllAMinute, windowMs }, tellOf);
  const closing = new AbortController();
  const { documentMs } = context.settings.oauth;
  const failed = createFailures(clock);
  return {
    async fetch(url) {
      const beganMs = clock.monotonicMs();
      try {
        return await withinMs(clock, documentMs, (signal) => documentAt(outward, String(url), signal));
      } catch (error) {
        // Failures take the same time, whatever they are: otherwise a stranger learns which hosts and names answer us.
        const leftMs = beganMs + documentMs + marginMs - clock.monotonicMs();
        await clock.sleep(Math.max(0, leftMs), closing.signal);
        failed.note(String(url));
        throw error;
      }
    },
    mayFetch(clientId, address) {
      if (failed.isFresh(clientId)) return false;
      if (clientId.length > longestId || URL.parse(clientId)?.pathname === '/') return false;
      if (address !== undefined && byNetwork.take(address) !== undefined) return false;
      return ofAll.take('everybody') === undefined;
    },
    async close() {
      closing.abort();
      await outward.close();
    },
  };
}

/** What failed a moment ago. */
function createFailures(clock: Pick<Clock, 'monotonicMs'>) {
  const untilMs = new Map<string, number>();
  return {
    note(id: string): void {
      for (const [other, ms] of untilMs) if (ms <= clock.monotonicMs()) untilMs.delete(other);
      untilMs.set(id, clock.monotonicMs() + againMs);
    },
    isFresh: (id: string): boolean => (untilMs.get(id) ?? 0) > clock.monotonicMs(),
  };
}

async function withinMs<T>(clock: Pick<Clock, 'after'>, ms: number, work: (signal: AbortSignal) => Promise<T>) {
  const over = new AbortController();
  const cancel = clock.after(ms, () => over.abort(new TypeError('the document of the client took too long')));
  try {
    return await work(over.signal);
  } finally {
    cancel();
  }
}

/** The document with what we keep of it. Throws for what cannot be had or is refused. */
async function documentAt(outward: GuardedFetch, url: string, signal: AbortSignal): Promise<Response> {
  if (!isDocumentId(url)) throw new TypeError('only documents of clients are fetched');
  const answer = await outward.fetch(url, { headers: { accept: 'application/json' }, signal });
  const type = answer.headers.get('content-type') ?? '';
  if (answer.status !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    throw new TypeError(`the document of the client was answered with ${answer.status} ${type.slice(0, 60)}`);
  const given: unknown = await answer.json();
  const told = typeof given === 'object' && given !== null ? given : {};
  const client = admittedClient(told);
  if (client.token_endpoint_auth_method !== 'none') throw new TypeError('a document has no secret');
  if (!('client_id' in told) || told.client_id !== url) throw new TypeError('the document is of another client');
  const headers = { 'content-type': 'application/json', 'cache-control': answer.headers.get('cache-control') ?? '' };
  return Response.json({ ...client, client_id: url }, { headers });
}
