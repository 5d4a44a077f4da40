/**
 * Resolves host names without `getaddrinfo`, which blocks one of the two threads that the whole process has for it, cannot be
 * cancelled, and holds up the end of the process: one silent name server would delay every other name. Queries go through
 * c-ares, a channel for each name, after the hosts file and with the search domains of the system. A worker for each owner was
 * rejected: workers share those two threads, and processes cost 50 MB each.
 *
 * Where the system has other sources (mDNS, macOS, Windows), `getaddrinfo` resolves the names that DNS does not have, one at a
 * time.
 */
import { lookup as lookUpBySystem } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createSystemNames, type ResolvedAddress, type SystemNames } from './system-names.ts';

export type NameResolver = {
  /**
   * The addresses of a name, at least one. Rejects with the code ENOTFOUND (no such name) or EAI_AGAIN (no name server
   * answered), and with the reason of `signal`.
   */
  resolve(name: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]>;
};

export type NameResolverOptions = {
  /** Addresses with ports of name servers; the system's by default. */
  readonly servers?: readonly string[];
  readonly systemNames?: SystemNames;
  readonly timeoutMs?: number;
};

const defaultTimeoutMs = 10_000;
/** A server that does not answer gets a second query, after the others. */
const attempts = { timeout: 2000, tries: 2 } as const;
/** How long a second family is waited for once the first is known (RFC 8305 section 3). */
const resolutionDelayMs = 50;
const absentCodes: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

/** One query for a name, shared by all who wait for it. */
type SharedQuery = {
  readonly result: Promise<readonly ResolvedAddress[]>;
  readonly controller: AbortController;
  waiters: number;
};

export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const { servers, systemNames = createSystemNames(), timeoutMs = defaultTimeoutMs } = options;
  const queries = new Map<string, SharedQuery>();
  const start = (name: string): SharedQuery => {
    const controller = new AbortController();
    const result = queryName({ name, servers, systemNames, timeoutMs, signal: controller.signal });
    const query = { result, controller, waiters: 0 };
    const removeQuery = (): void => {
      if (queries.get(name) === query) queries.delete(name);
    };
    result.then(removeQuery, removeQuery);
    queries.set(name, query);
    return query;
  };
  return {
    async resolve(hostname, signal) {
      signal.throwIfAborted();
      const name = hostname.toLowerCase();
      const query = queries.get(name) ?? start(name);
      query.waiters += 1;
      const aborted = Promise.withResolvers<never>();
      const abort = (): void => aborted.reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      try {
        return await Promise.race([query.result, aborted.promise]);
      } finally {
        signal.removeEventListener('abort', abort);
        query.waiters -= 1;
        if (query.waiters === 0) {
          if (queries.get(name) === query) queries.delete(name);
          query.controller.abort();
        }
      }
    },
  };
}

type Query = Required<Pick<NameResolverOptions, 'systemNames' | 'timeoutMs'>> & {
  readonly name: string;
  readonly servers: readonly string[] | undefined;
  readonly signal: AbortSignal;
};

async function queryName(query: Query): Promise<readonly ResolvedAddress[]> {
  const { name, systemNames, signal } = query;
  const bareName = name.replace(/\.$/, '');
  const family = isIP(bareName);
  if (family === 4 || family === 6) return [{ address: bareName, family }];
  const local = systemNames.findInHostsFile(bareName);
  if (local.length > 0) return local;
  if (bareName === 'localhost' || bareName.endsWith('.localhost')) return loopbackAddresses;
  const addresses = await queryDns(query);
  if (addresses) return sortAddresses(addresses);
  if (systemNames.hasOtherSources()) return askSystem(bareName, signal);
  throw createNameError('ENOTFOUND', name);
}

/** RFC 6761 section 6.3. */
const loopbackAddresses: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Undefined when the name servers say that there is no such name. */
async function queryDns(query: Query): Promise<readonly ResolvedAddress[] | undefined> {
  const { name, servers, systemNames, timeoutMs, signal } = query;
  // A channel for each query: it is cancelled alone, and reads the system's name servers anew.
  const resolver = new Resolver(attempts);
  if (servers) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  const timer = setTimeout(cancel, timeoutMs);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    let failure: unknown;
    for (const candidate of systemNames.listCandidates(name)) {
      const { addresses, error } = await queryFamilies(resolver, candidate);
      if (addresses.length > 0) return addresses;
      if (absentCodes.includes(error)) continue;
      failure ??= error;
      if (error !== 'ESERVFAIL') break;
    }
    if (failure === undefined) return undefined;
    throw createNameError('EAI_AGAIN', name, String(failure));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    resolver.cancel();
  }
}

type FamilyAnswer = { readonly addresses: readonly ResolvedAddress[]; readonly error: unknown };

/** Both families; where one has addresses, the other is not waited for long. */
async function queryFamilies(resolver: Resolver, name: string): Promise<FamilyAnswer> {
  const toAnswer = (family: 4 | 6, addresses: Promise<string[]>): Promise<FamilyAnswer> =>
    addresses.then(
      (list) => ({ addresses: list.map((address) => ({ address, family })), error: 'ENODATA' }),
      (error: unknown) => ({ addresses: [], error: error instanceof Error && 'code' in error ? error.code : error }),
    );
  const both = [toAnswer(4, resolver.resolve4(name)), toAnswer(6, resolver.resolve6(name))];
  const received: FamilyAnswer[] = [];
  const done = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  for (const answer of both)
    void answer.then((it) => {
      received.push(it);
      if (received.length === both.length) done.resolve();
      else if (it.addresses.length > 0) timer = setTimeout(done.resolve, resolutionDelayMs);
    });
  await done.promise;
  clearTimeout(timer);
  const addresses = received.flatMap((it) => it.addresses);
  const problem = received.find(({ error }) => !absentCodes.includes(error));
  return { addresses, error: problem?.error ?? 'ENOTFOUND' };
}

/** IPv6 first only where this machine has an address that leads further than its own network. */
function sortAddresses(addresses: readonly ResolvedAddress[]): readonly ResolvedAddress[] {
  const interfaces = Object.values(networkInterfaces()).flat();
  const hasIPv6 = interfaces.some((it) => it?.family === 'IPv6' && !it.internal && !it.address.startsWith('fe80'));
  return addresses.toSorted((a, b) => (hasIPv6 ? b.family - a.family : a.family - b.family));
}

let lastSystemQuery: Promise<unknown> = Promise.resolve();

/** Calls `getaddrinfo` for one name at a time, and not for callers that have aborted meanwhile. */
function askSystem(name: string, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
  const result = lastSystemQuery.then(() => {
    signal.throwIfAborted();
    return new Promise<readonly ResolvedAddress[]>((resolve, reject) => {
      lookUpBySystem(name, { all: true }, (error, addresses) => {
        if (error) reject(error);
        else resolve(addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })));
      });
    });
  });
  lastSystemQuery = result.catch(() => undefined);
  return result;
}

function createNameError(code: 'ENOTFOUND' | 'EAI_AGAIN', name: string, reason?: string): Error {
  const detail = reason === undefined ? 'there is no such name' : `the name servers do not answer (${reason})`;
  return Object.assign(new Error(`${code} ${name}: ${detail}`), { code, hostname: name });
}
