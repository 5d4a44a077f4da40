/**
 * OAuth Client ID Metadata Documents: the client id is the URL of a document that describes the client. Anybody who opens the
 * authorization endpoint causes a fetch, so fetches are guarded, rate limited and bounded, and the document is validated like
 * a registration.
 */

import type { Configuration } from 'oidc-provider';
import type { Clock } from '../../../environment/clock.ts';
import { createNetworkLimiter, createRateLimiter } from '../../../limits/rate-limiter.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../outbound/guarded-fetch.ts';
import type { NameResolver } from '../../../outbound/names/name-resolver.ts';
import { withTimeout } from '../../../timing/timeout.ts';
import type { IdentityContext } from '../../context.ts';
import { parseClientMetadata } from './client-metadata.ts';
import { isMetadataDocumentId } from './client-view.ts';

/** How documents are fetched; see `createGuardedFetch`. */
export type ClientDocumentSettings = {
  readonly allowPrivate: boolean;
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly resolver?: NameResolver;
};

/** Larger documents are rejected. */
const documentLimitBytes = 16 * 1024;
const maxIdLength = 500;
/** Added to the timeout, so that every kind of failure is reported at the same time. */
const failureMarginMs = 250;
/** oidc-provider looks up a client that it did not find a second time within the same request. */
const retryBlockMs = 2_000;
const windowMs = 60_000;
const maxFetchesPerWindow = 120;

type DocumentContext = Pick<IdentityContext, 'clock' | 'logSecurityEvent' | 'settings'>;

export type ClientDocumentFetcher = {
  readonly fetch: NonNullable<Configuration['fetch']>;
  /** Whether a document may be fetched now for a client at `address`; undefined for our own requests. */
  mayFetch(clientId: string, address: string | undefined): boolean;
  close(): Promise<void>;
};

export function createClientDocumentFetcher(
  context: DocumentContext,
  settings: ClientDocumentSettings,
): ClientDocumentFetcher {
  const { clock, logSecurityEvent } = context;
  const guardedFetch = createGuardedFetch({ ...settings, answerLimitBytes: documentLimitBytes });
  const logLimit = (network: string): void =>
    logSecurityEvent({ event: 'oauth_documents_limited', level: 'warn', network });
  const networkLimiter = createNetworkLimiter(
    clock,
    { maxCount: context.settings.oauth.maxDocumentFetches, windowMs },
    logLimit,
  );
  const globalLimiter = createRateLimiter(clock, { maxCount: maxFetchesPerWindow, windowMs }, logLimit);
  const closeController = new AbortController();
  const { documentTimeoutMs } = context.settings.oauth;
  const recentFailures = createRecentFailures(clock);
  return {
    async fetch(url) {
      const startedMs = clock.monotonicMs();
      try {
        const createError = () => new TypeError('the client metadata document took too long');
        return await withTimeout({ clock, timeoutMs: documentTimeoutMs, createError }, (signal) =>
          fetchDocument(guardedFetch, String(url), signal),
        );
      } catch (error) {
        // All failures take the same time; otherwise their timing would reveal which hosts and names we can reach.
        const remainingMs = startedMs + documentTimeoutMs + failureMarginMs - clock.monotonicMs();
        await clock.sleep(Math.max(0, remainingMs), closeController.signal);
        recentFailures.add(String(url));
        throw error;
      }
    },
    mayFetch(clientId, address) {
      if (recentFailures.has(clientId)) return false;
      if (clientId.length > maxIdLength || URL.parse(clientId)?.pathname === '/') return false;
      if (address !== undefined && networkLimiter.tryTake(address) !== undefined) return false;
      return globalLimiter.tryTake('everybody') === undefined;
    },
    async close() {
      closeController.abort();
      await guardedFetch.close();
    },
  };
}

function createRecentFailures(clock: Pick<Clock, 'monotonicMs'>) {
  const expiresMs = new Map<string, number>();
  return {
    add(id: string): void {
      for (const [knownId, ms] of expiresMs) if (ms <= clock.monotonicMs()) expiresMs.delete(knownId);
      expiresMs.set(id, clock.monotonicMs() + retryBlockMs);
    },
    has: (id: string): boolean => (expiresMs.get(id) ?? 0) > clock.monotonicMs(),
  };
}

/** Fetches and validates a document, and returns its supported fields as a response. */
async function fetchDocument(guardedFetch: GuardedFetch, url: string, signal: AbortSignal): Promise<Response> {
  if (!isMetadataDocumentId(url)) throw new TypeError('only client metadata documents are fetched');
  const response = await guardedFetch.fetch(url, { headers: { accept: 'application/json' }, signal });
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    throw new TypeError(`fetching the client metadata document returned ${response.status} ${type.slice(0, 60)}`);
  const json: unknown = await response.json();
  const document = typeof json === 'object' && json !== null ? json : {};
  const client = parseClientMetadata(document);
  if (client.token_endpoint_auth_method !== 'none')
    throw new TypeError('a client metadata document must describe a public client');
  if (!('client_id' in document) || document.client_id !== url)
    throw new TypeError('the document describes another client');
  const headers = { 'content-type': 'application/json', 'cache-control': response.headers.get('cache-control') ?? '' };
  return Response.json({ ...client, client_id: url }, { headers });
}
