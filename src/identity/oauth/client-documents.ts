/**
 * Programs whose id is the address of a document about them (OAuth Client ID Metadata Document). Whoever opens the
 * authorization page makes us fetch it: so it is fetched by the guarded way, seldom, bounded, and looked at like a registration.
 */
import type { LookupFunction } from 'node:net';
import type { Configuration } from 'oidc-provider';
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
const answerMs = 10_000;
const windowMs = 60_000;
const fetchesOfAllAMinute = 120;

/** What the OAuth server is given. */
export type ClientDocuments = {
  readonly fetch: Configuration['fetch'];
  /** Whether a document may be fetched now for a caller at `address`; without one, for ourselves. */
  mayFetch(clientId: string, address: string | undefined): boolean;
  close(): Promise<void>;
};

/** Makes it; nothing is fetched yet. */
export function clientDocuments(context: IdentityContext, settings: ClientDocumentSettings): ClientDocuments {
  const { clock, tell } = context;
  const outward = guardedFetch({ ...settings, answerLimitBytes: documentLimitBytes });
  const tellOf = (network: string): void => tell({ event: 'oauth_documents_limited', level: 'warn', network });
  const byNetwork = createAllowance(clock, { most: context.settings.oauth.documents, windowMs }, tellOf);
  const ofAll = createAllowance(clock, { most: fetchesOfAllAMinute, windowMs }, tellOf);
  return {
    fetch: async (url) => documentAt(outward, String(url)),
    mayFetch(clientId, address) {
      if (clientId.length > longestId || URL.parse(clientId)?.pathname === '/') return false;
      if (address !== undefined && byNetwork.take(address) !== undefined) return false;
      return ofAll.take('everybody') === undefined;
    },
    close: () => outward.close(),
  };
}

/** The document with what we keep of it. Throws for what cannot be had or is refused. */
async function documentAt(outward: GuardedFetch, url: string): Promise<Response> {
  if (!isDocumentId(url)) throw new TypeError('only documents of clients are fetched');
  // The OAuth server's own 2.5 s are too few where either side is busy.
  const signal = AbortSignal.timeout(answerMs);
  const answer = await outward.fetch(url, { headers: { accept: 'application/json' }, signal });
  const type = answer.headers.get('content-type') ?? '';
  if (answer.status !== 200 || !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    throw new TypeError(`the document of the client was answered with ${answer.status} ${type.slice(0, 60)}`);
  const given: unknown = await answer.json();
  const told = typeof given === 'object' && given !== null ? given : {};
  const client = admittedClient(told);
  if (client.token_endpoint_auth_method !== 'none') throw new TypeError('a document has no secret');
  const headers = { 'content-type': 'application/json', 'cache-control': answer.headers.get('cache-control') ?? '' };
  return Response.json({ ...client, client_id: 'client_id' in told ? told.client_id : undefined }, { headers });
}
