/** A gateway with doubles around it: whoever has a name as token is let in, everything is allowed unless a test says otherwise. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { type Gateway, openGateway } from '../../../src/hub/gateway/gateway.ts';
import type { GatewayPorts } from '../../../src/hub/gateway/ports.ts';
import type { UpstreamParts } from '../../../src/hub/upstream/upstream.ts';
import type { AuditEntry, Connection, DecidedCall, Decision, HubPrincipal } from '../../../src/hub/words.ts';
import { guardedFetch } from '../../../src/outbound/guarded-fetch.ts';
import { type Served, served } from '../hostile/listening.ts';

/** What a test works with. */
export type House = {
  readonly gateway: Gateway;
  readonly served: Served;
  readonly connections: Connection[];
  readonly audit: AuditEntry[];
  readonly states: string[];
  readonly faults: unknown[];
  decide: (call: DecidedCall) => Decision;
  /** For what is no tool. */
  admit: (call: DecidedCall) => Decision;
  /** Throws where the audit cannot keep rows. */
  ready: (entry: AuditEntry | undefined) => void;
  /** Rejects where a row could not be written. */
  record: (entry: AuditEntry) => Promise<void>;
  /** Tools that are not shown, by the upstream's names. */
  readonly hidden: Set<string>;
  changed(): void;
  client(person: string, options?: ClientOptions, hub?: string): Promise<Client>;
};

/** A connection record. */
export function connectionTo(name: string, url: string, more: Partial<Connection> = {}): Connection {
  return {
    id: `c-${name}`,
    hubId: 'h1',
    name,
    kind: 'http',
    url,
    command: undefined,
    credential: { kind: 'none' },
    enabled: true,
    state: 'untried',
    lastError: undefined,
    revision: 1,
    ...more,
  };
}

/** A principal by its bearer token `person` or `person@hub`. */
export function principalOf(bearer: string): HubPrincipal {
  const [person = '', hub = 'h1'] = bearer.split('@');
  return {
    hub: { id: hub, slug: hub },
    person: { personId: person, name: person },
    role: 'member',
    via: { kind: 'token', tokenId: `t-${person}`, tokenName: 'test' },
    client: undefined,
  };
}

/** Bounds of a test: short. */
export const testLimits: Pick<UpstreamParts, 'limits' | 'connectMs'> = {
  limits: { silenceMs: 3000, wholeMs: 10_000 },
  connectMs: 2000,
};

/** Opens one; closed when the test ends. */
export async function house(
  t: Pick<Test, 'teardown'>,
  connections: Connection[],
  more: Partial<UpstreamParts> = {},
  listBoundMs = 15_000,
): Promise<House> {
  const listeners = new Set<(hubId: string) => void>();
  const audit: AuditEntry[] = [];
  const states: string[] = [];
  const faults: unknown[] = [];
  const hidden = new Set<string>();
  const outward = guardedFetch({ allowPrivate: true, extraRoots: [], variables: {}, answerLimitBytes: 2_000_000 });
  const kept = new Map<string, string | undefined>();
  const secrets: UpstreamParts['secrets'] = {
    header: async () => ({ name: 'Authorization', value: 'Bearer upstream-secret' }),
    clientSecret: async () => undefined,
    oauthState: async (id, person) => kept.get(`${id} ${person}`),
    keepOauthState: async (id, person, state) => {
      kept.set(`${id} ${person}`, state);
      return true;
    },
  };
  const ports: GatewayPorts = {
    book: {
      ofHub: async (hubId) => connections.filter((connection) => connection.hubId === hubId),
      find: async (id) => connections.find((connection) => connection.id === id),
      noteState: async () => {},
      noteWarning: async () => {},
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      secrets,
    },
    policy: {
      decide: async (call) => made.decide(call),
      admit: async (call) => made.admit(call),
      offered: async (_principal, _connection, tools) =>
        new Set(tools.map(({ name }) => name).filter((name) => !hidden.has(name))),
    },
    audit: {
      ready: (entry) => made.ready(entry),
      async record(entry) {
        await made.record(entry);
        audit.push(entry);
      },
    },
    upstream: {
      ...testLimits,
      ask: outward.ask,
      fetch: outward.fetch,
      secrets,
      commands: new Map(),
      running: { engine: undefined, unsafe: false, path: undefined },
      messageLimitBytes: 2_000_000,
      version: '0.0.0',
      clock: systemClock,
      random: systemRandom,
      noteState: (id, state, lastError) => void states.push(`${id} ${state} ${lastError ?? ''}`.trim()),
      ...more,
    },
    clock: systemClock,
    random: systemRandom,
    version: '0.0.0',
    listBoundMs,
    onFault: (fault) => faults.push(fault),
  };
  const gateway = openGateway(ports);
  const listening = await served(t, async (request) => {
    const bearer = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    const text = request.method === 'POST' ? await request.text() : '';
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return gateway.answer(principalOf(bearer), { request, body, bodyBytes: text.length });
  });
  const clients: Client[] = [];
  t.teardown(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => {})));
    await gateway.close();
    await outward.close();
  });
  const made: House = {
    gateway,
    served: listening,
    connections,
    audit,
    states,
    faults,
    decide: () => ({ allowed: true, redact: { keep: true, hide: [] } }),
    admit: () => ({ allowed: true, redact: { keep: true, hide: [] } }),
    ready: () => {},
    record: async () => {},
    hidden,
    changed: () => {
      for (const listener of listeners) listener('h1');
    },
    async client(person, options = {}, hub = 'h1') {
      const client = new Client({ name: 'test', version: '1.2.3' }, options);
      const headers = { Authorization: `Bearer ${person}@${hub}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(listening.url), { requestInit: { headers } }));
      clients.push(client);
      return client;
    },
  };
  return made;
}

/** Options of a client of the newest era; without them it is one of an older. */
export const newest: ClientOptions = { versionNegotiation: { mode: 'auto' } };
