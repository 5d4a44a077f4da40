/** A real control plane in a folder of the test, with its HTTP app in front. */
import type { Test } from 'tap';
import type { InstanceCreated } from '../../src/contract/api.ts';
import type { Hello, Lease, Offer, Welcome } from '../../src/contract/executor-api.ts';
import { type OpenControl, openControl } from '../../src/control/open.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { HttpEnv } from '../../src/http/app.ts';
import type { HubSettings } from '../../src/hub/hubs-context.ts';
import { createHubService, type HubService } from '../../src/hub/hubs-service.ts';
import type { SecurityEvent } from '../../src/identity/context.ts';
import { createIdentity, type Identity } from '../../src/identity/identity.ts';
import type { IdentitySettings } from '../../src/identity/settings.ts';
import type { Report } from '../../src/report/report.ts';
import { createServerApp, type ServerOptions } from '../../src/server/app.ts';
import { keptLog, type Logged } from '../http/kept-log.ts';

/** The app with the keys that open it. `ask` sends JSON with a key, the owner's unless said otherwise. */
export type Served = {
  readonly control: OpenControl;
  readonly identity: Identity;
  readonly hub: HubService;
  /** What was told to the log of security. */
  readonly security: SecurityEvent[];
  readonly fetch: (request: Request, env?: HttpEnv) => Promise<Response>;
  readonly owner: string;
  readonly scrape: string;
  readonly lines: Logged[];
  ask(
    method: string,
    path: string,
    body?: unknown,
    key?: string | null,
    headers?: Record<string, string>,
  ): Promise<Response>;
};

/** The origin that requests of tests name. */
export const origin = 'http://localhost:7700';

/** Passwords that cost nothing. */
export const cheap: Partial<IdentitySettings> = { password: { memoryKiB: 64, passes: 1 } };

/** Opens and serves; closed after the test. */
export async function served(
  t: Test,
  {
    clock = systemClock,
    settings = {},
    hubSettings = {},
    ...options
  }: Partial<ServerOptions & { settings: Partial<IdentitySettings>; hubSettings: Partial<HubSettings> }> = {},
): Promise<Served> {
  const { log, lines } = keptLog();
  const onFault = (fault: unknown): void => log.error({ err: fault }, 'background');
  const control = await openControl({ folder: t.testdir(), clock, random: systemRandom, pid: process.pid, onFault });
  const security: SecurityEvent[] = [];
  const identity = createIdentity({
    database: control.database,
    keys: control.keyring,
    clock,
    random: systemRandom,
    issuer: () => origin,
    settings: { ...cheap, ...settings },
    tell: (event) => security.push(event),
    onFault,
  });
  const hub = createHubService({
    database: control.database,
    keys: control.keyring,
    clock,
    random: systemRandom,
    settings: hubSettings,
    verifyGrant: (knock) => identity.oauth.hubGrant(knock),
    beforePersonEnds: identity.beforePersonEnds,
    signedInAtMs: (caller) => identity.signedInAtMs(caller),
    tell: (event) => security.push(event),
    onFault,
  });
  // Timers of the product never keep a process alive; a listener would.
  const hold = setInterval(() => undefined, 1000);
  t.teardown(async () => {
    clearInterval(hold);
    hub.close();
    await identity.close();
    return control.close();
  });
  const [owner, scrape] = [await control.serviceKey('owner'), await control.serviceKey('scrape')];
  const app = appOf({ control, identity, hub, log, clock, ...options }, owner);
  return { control, identity, hub, security, owner, scrape, lines, ...app };
}

/** Another app on the control plane of `first`, in which parts may be replaced. */
export function servedAgain(first: Served, options: Partial<ServerOptions>): Served {
  const { log, lines } = keptLog();
  return {
    ...first,
    lines,
    ...appOf({ control: first.control, identity: first.identity, hub: first.hub, log, ...options }, first.owner),
  };
}

type Given = Partial<ServerOptions> & Pick<ServerOptions, 'control' | 'identity' | 'hub' | 'log'>;

function appOf(options: Given, owner: string): Pick<Served, 'fetch' | 'ask'> {
  const app = createServerApp({
    clock: systemClock,
    publicUrl: origin,
    version: '0.4.0',
    checkAnswers: true,
    ...options,
  });
  const fetch: Served['fetch'] = async (request, env) => app.fetch(request, env);
  return {
    fetch,
    ask: (method, path, body, key = owner, headers = {}) => fetch(requestOf(method, path, body, key, headers)),
  };
}

/** A request with a JSON body and a bearer key; `null` sends none. */
export function requestOf(
  method: string,
  path: string,
  body: unknown,
  key: string | null,
  headers: Record<string, string> = {},
): Request {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  return new Request(`${origin}${path}`, { method, headers: { ...type, ...authorization, ...headers }, ...json });
}

/** Registers an instance over the API. */
export async function register(served: Served, id = 'sign-dev'): Promise<InstanceCreated> {
  const response = await served.ask('POST', '/api/v1/instances', { instance_id: id });
  const created: InstanceCreated = await response.json();
  return created;
}

/** An executor that speaks over the API. */
export type HttpExecutor = {
  readonly epoch: number;
  poll(waitMs?: number): Promise<Lease>;
  complete(lease: Lease, report: Report, more?: boolean): Promise<Response>;
  say(call: string, body: object): Promise<Response>;
};

/** Greets as the executor that has `key`. */
export async function hello(served: Served, key: string): Promise<HttpExecutor> {
  const say = (call: string, body: object) => served.ask('POST', `/api/v1/executor/${call}`, body, key);
  const response = await say('hello', aHello);
  const welcome: Welcome = await response.json();
  const { epoch } = welcome;
  return {
    epoch,
    say,
    async poll(wait_ms = 1000) {
      const offered = await say('poll', { epoch, in_hand: null, wait_ms });
      const { lease }: Offer = await offered.json();
      if (!lease) throw new Error('nothing was offered');
      return lease;
    },
    complete: ({ run_id, fence }, report, more = false) => say('complete', { epoch, run_id, fence, more, report }),
  };
}

/** What an executor says first. */
export const aHello: Hello = {
  protocol: 1,
  executor_version: '0.4.0',
  store_id: 'store-of-a-test',
  started: [],
  finished: [],
  target: 'http://app:3100',
};
