/** A real control plane in a folder of the test, with its HTTP app in front. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { openNotificationService } from '../../src/assemble/control-plane/notifications.ts';
import type { CreateInstanceResponse } from '../../src/contract/api.ts';
import type { HelloRequest, HelloResponse, Lease, LeaseOffer } from '../../src/contract/executor-api.ts';
import { type OpenControl, openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { HttpEnv } from '../../src/http/create-app.ts';
import type { HubSettings } from '../../src/hub/context.ts';
import { createHubServices, type HubServices } from '../../src/hub/hub-services.ts';
import type { SecurityEvent } from '../../src/identity/context.ts';
import { createIdentity, type Identity } from '../../src/identity/identity.ts';
import type { IdentitySettings } from '../../src/identity/settings.ts';
import type { Report } from '../../src/report/report.ts';
import { createServerApp } from '../../src/server/app.ts';
import type { ServerOptions } from '../../src/server/services.ts';
import { createMemoryLog, type LogLine } from '../http/memory-log.ts';
import { getSourcesUnderTest, openStoresUnderTest } from '../store/engine-under-test.ts';

/** The app with its keys. `ask` sends JSON with a key, by default the owner's. */
export type TestServer = {
  readonly folder: string;
  readonly control: OpenControl;
  readonly identity: Identity;
  readonly hub: HubServices;
  /** Events of the security log. */
  readonly security: SecurityEvent[];
  readonly fetch: (request: Request, env?: HttpEnv) => Promise<Response>;
  readonly owner: string;
  readonly scrape: string;
  readonly lines: LogLine[];
  ask(
    method: string,
    path: string,
    body?: unknown,
    key?: string | null,
    headers?: Record<string, string>,
  ): Promise<Response>;
};

/** The origin of requests in tests. */
export const origin = 'http://localhost:7700';

/** Fast password hashing. */
export const cheapIdentitySettings: Partial<IdentitySettings> = { password: { memoryKiB: 64, passes: 1 } };

const testsWithServer = new WeakSet<Test>();

/** The test's own folder for its first server. A second `t.testdir()` would empty it while that server uses it. */
function createServerFolder(t: Test): string {
  if (testsWithServer.has(t)) return mkdtempSync(join(t.testdirName, 'server-'));
  testsWithServer.add(t);
  return t.testdir();
}

/** Closed after the test. */
export async function startTestServer(
  t: Test,
  {
    clock: givenClock = systemClock,
    settings = {},
    hubSettings = {},
    ...options
  }: Partial<ServerOptions & { settings: Partial<IdentitySettings>; hubSettings: Partial<HubSettings> }> = {},
): Promise<TestServer> {
  const { log, lines } = createMemoryLog();
  const onFault = (fault: unknown): void => log.error({ err: fault }, 'background');
  const folder = createServerFolder(t);
  const stores = await openStoresUnderTest(t, folder);
  const { clock, random } = getSourcesUnderTest(givenClock);
  const control = await openControl({
    ...{ folder, clock, random, store: stores?.control },
    pid: process.pid,
    onError: onFault,
  });
  const security: SecurityEvent[] = [];
  const identity = createIdentity({
    onWritten: control.forgetCredentials,
    database: control.database,
    keys: control.keyring,
    clock,
    random,
    issuer: () => origin,
    settings: { ...cheapIdentitySettings, ...settings },
    logSecurityEvent: (event) => security.push(event),
    onError: onFault,
  });
  const hub = createHubServices({
    database: control.database,
    keys: control.keyring,
    clock,
    random,
    settings: hubSettings,
    verifyGrant: (grantRequest) => identity.oauth.findHubGrant(grantRequest),
    beforePersonRemoved: identity.beforePersonRemoved,
    onCredentialRevoked: identity.onAnyRevoked,
    signedInAtMs: (caller) => identity.signedInAtMs(caller),
    logSecurityEvent: (event) => security.push(event),
    onError: onFault,
  });
  const notifications = openNotificationService({
    ...{ control, environment: { variables: {} }, log, address: () => origin },
    upstreams: { allowPrivate: true, extraRoots: [] },
  });
  // Timers of the product never keep a process alive; a listener would.
  const keepAlive = setInterval(() => undefined, 1000);
  t.teardown(async () => {
    clearInterval(keepAlive);
    hub.close();
    await identity.close();
    await notifications.close();
    return control.close();
  });
  const [owner, scrape] = [await control.serviceKey('owner'), await control.serviceKey('scrape')];
  const app = buildApp({ control, identity, hub, notifications, log, clock, ...options }, owner);
  return { folder, control, identity, hub, security, owner, scrape, lines, ...app };
}

/** Another app on the control plane of `first`, in which parts may be replaced. */
export function createVariantServer(server: TestServer, options: Partial<ServerOptions>): TestServer {
  const { log, lines } = createMemoryLog();
  return {
    ...server,
    lines,
    ...buildApp({ control: server.control, identity: server.identity, hub: server.hub, log, ...options }, server.owner),
  };
}

type TestAppOptions = Partial<ServerOptions> & Pick<ServerOptions, 'control' | 'identity' | 'hub' | 'log'>;

/** Services that only some tests open; calls of their routes fail elsewhere. */
const unopened = Object.create(null);

function buildApp(options: TestAppOptions, owner: string): Pick<TestServer, 'fetch' | 'ask'> {
  const app = createServerApp({
    hubGateway: unopened,
    memory: unopened,
    registry: unopened,
    notifications: unopened,
    clock: systemClock,
    random: systemRandom,
    publicUrl: origin,
    version: '0.4.0',
    checkResponses: true,
    ...options,
  });
  const fetch: TestServer['fetch'] = async (request, env) => app.fetch(request, env);
  return {
    fetch,
    ask: (method, path, body, key = owner, headers = {}) => fetch(createRequest(method, path, body, key, headers)),
  };
}

/** A request with a JSON body and a bearer key; `null` sends none. */
export function createRequest(
  method: string,
  path: string,
  body: unknown,
  key: string | null,
  headers: Record<string, string> = {},
): Request {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const contentType: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  return new Request(`${origin}${path}`, {
    method,
    headers: { ...contentType, ...authorization, ...headers },
    ...json,
  });
}

export async function registerInstance(server: TestServer, id = 'sign-dev'): Promise<CreateInstanceResponse> {
  const response = await server.ask('POST', '/api/v1/instances', { instance_id: id });
  const created: CreateInstanceResponse = await response.json();
  return created;
}

/** An executor that speaks over the API. */
export type HttpExecutor = {
  readonly epoch: number;
  poll(waitMs?: number): Promise<Lease>;
  complete(lease: Lease, report: Report, takeNext?: boolean): Promise<Response>;
  call(operation: string, body: object): Promise<Response>;
};

/** Greets as the executor that has `key`. */
export async function startHttpExecutor(server: TestServer, key: string): Promise<HttpExecutor> {
  const call = (operation: string, body: object) => server.ask('POST', `/api/v1/executor/${operation}`, body, key);
  const response = await call('hello', helloMessage);
  const helloResponse: HelloResponse = await response.json();
  const { epoch } = helloResponse;
  return {
    epoch,
    call,
    async poll(wait_ms = 1000) {
      const offered = await call('poll', { epoch, in_hand: null, wait_ms });
      const { lease }: LeaseOffer = await offered.json();
      if (!lease) throw new Error('nothing was offered');
      return lease;
    },
    complete: ({ run_id, fence }, report, takeNext = false) =>
      call('complete', { epoch, run_id, fence, more: takeNext, report }),
  };
}

export const helloMessage: HelloRequest = {
  protocol: 1,
  executor_version: '0.4.0',
  store_id: 'store-of-a-test',
  started: [],
  finished: [],
  target: 'http://app:3100',
};
