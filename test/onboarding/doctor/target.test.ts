/** Doctor asks the engine and the executor now: a target that is stopped, refuses the token, or is in another network. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ContainerInfo } from '../../../src/containers/containers.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { DoctorContext } from '../../../src/onboarding/doctor/context.ts';
import { runDoctor } from '../../../src/onboarding/doctor/doctor.ts';
import type { ProbeReport } from '../../../src/onboarding/evidence-probe.ts';
import type { SendProbe } from '../../../src/onboarding/target-probe.ts';
import { container, createFakeEngine } from '../preflight/preflight-context.ts';
import { allContainers, createOnboardedContext, listProblems } from './onboarded-context.ts';

const config = `project: {name: shop}
targets: {http: {base_url: "http://app:3100"}, auth: {type: bearer, bearer_token: "\${API_TOKEN}"}}
deploy: {compose_project: shop, network: shop-net}
`;
const app = container({ name: 'shop-app-1', project: 'shop', service: 'app', status: 'Up 2 minutes' });
const migration = container({
  ...{ name: 'shop-migrate-1', project: 'shop', service: 'migrate' },
  ...{ state: 'exited', status: 'Exited (0) 2 minutes ago' },
});

function createReport(response: object | null, failure: object | null = null): ProbeReport {
  const report = {
    run_id: '20261120T143012345',
    exchange: { request: null, response },
    log: null,
    queries: [],
    failure,
  };
  return JSON.parse(JSON.stringify(report));
}

type Machine = {
  readonly target?: readonly ContainerInfo[];
  readonly platform?: readonly ContainerInfo[];
  readonly sendProbe?: SendProbe;
  readonly files?: readonly string[];
};

/** An onboarded machine whose executor answers probes. */
function createContext(t: Test, machine: Machine = {}): DoctorContext {
  const { target = [app, migration], platform = allContainers, files = [] } = machine;
  const kit = t.testdir({ kit: { 'direct.key': 'vpd_x\n' }, product: { 'platform-config.yaml': config } });
  writeFileSync(join(kit, 'product/.env'), 'API_TOKEN=secret12345\n');
  mkdirSync(join(kit, 'test'));
  const facts = {
    ...{ instance_id: 'shop', asked_id: 'shop', control_plane: 'http://127.0.0.1:7700', image: 'vp:v0.4.0-slim' },
    ...{ product_dir: join(kit, 'product'), test_dir: join(kit, 'test'), compose_project: 'shop' },
    ...{ network: 'shop-net', registered: true, executor_port: 8765 },
  };
  return createOnboardedContext({
    engine: async () => createFakeEngine([...platform, ...target], { info: '/var/lib/docker' }),
    productDir: join(kit, 'product'),
    testDir: undefined,
    findOnboarded: async () => ({ kit: join(kit, 'kit'), facts }),
    readProbeFiles: () => files.map((text) => ({ text, problem: undefined })),
    sendProbe: machine.sendProbe ?? (async () => createReport({ status: 200 })),
    clock: systemClock,
  });
}

/** Codes of the problems, without their checks. */
const listCodes = async (context: DoctorContext): Promise<object[]> =>
  (await runDoctor(context, { fix: false })).checks
    .filter(({ id }) => id === 'target' || id === 'containers')
    .flatMap(({ problems }) => problems.map(({ code }) => ({ code })));

const ofTarget = async (context: DoctorContext): Promise<string[]> =>
  (await listProblems(context)).filter((problem) => /^(target|containers):/.test(problem));

t.test('a target that answers is no problem, and a job that has ended is none either', async (t) => {
  const keys: string[] = [];
  const sendProbe: SendProbe = async ({ port, key }) => {
    keys.push(`${port} ${key}`);
    return createReport({ status: 200 });
  };
  t.same(await ofTarget(createContext(t, { sendProbe })), []);
  t.same(keys, ['8765 vpd_x']);
});

t.test('a stopped target is reported by the engine, and not probed', async (t) => {
  const stopped = { ...app, state: 'exited', status: 'Exited (0) 5 seconds ago' };
  const sendProbe: SendProbe = () => Promise.reject(new Error('it was asked'));
  t.match(await ofTarget(createContext(t, { target: [stopped, migration], sendProbe })), [
    /^target: TARGET_STOPPED the target does not run: container shop-app-1 .* is exited \(0\) 5 seconds ago$/,
  ]);
  const paused = createContext(t, { target: [{ ...app, state: 'paused' }], sendProbe });
  t.match(await ofTarget(paused), [/is paused$/]);
  t.same(await listCodes(paused), [{ code: 'TARGET_STOPPED' }]);
  t.match(await ofTarget(createContext(t, { target: [], sendProbe })), [/no container of the compose project shop/]);
});

t.test('a refused token is a problem, also where only a later path needs one', async (t) => {
  const refusing: SendProbe = async (_, text) => createReport({ status: text.includes('/public') ? 200 : 401 });
  const scenario = (path: string) => `GET \${INGESTION_URL}${path}\n\n- status=200\n`;
  const [files, testDir] = [[scenario('/public'), scenario('/orders')], '/nonexistent'];
  const context = { ...createContext(t, { sendProbe: refusing, files }), testDir };
  t.match(
    (await listProblems(context)).filter((problem) => /^target:/.test(problem)),
    [/^target: TARGET_REFUSED the target answered 401 to GET \/orders: it refuses the token/],
  );
});

t.test('a target without a response, and an executor that does not answer', async (t) => {
  const failure = { kind: 'target_unreachable', message: 'ENOTFOUND app', cure: 'share a network' };
  t.match(await ofTarget(createContext(t, { sendProbe: async () => createReport(null, failure) })), [
    /no response from the target http:\/\/app:3100: ENOTFOUND app$/,
  ]);
  const silent: SendProbe = () =>
    Promise.reject(vpError('TARGET_NOT_PROBED', { problem: 'refused', cure: 'start it' }));
  t.same(await listCodes(createContext(t, { sendProbe: silent })), [{ code: 'TARGET_NOT_PROBED' }]);
  t.match(await ofTarget(createContext(t, { sendProbe: silent })), [
    'target: TARGET_NOT_PROBED the target was not probed: refused',
  ]);
});

t.test('an executor in an earlier network of that name, or in none, is told', async (t) => {
  const withNetworks = (networks: readonly string[]) =>
    allContainers.map((listed) => (listed.name.endsWith('-executor-1') ? { ...listed, networks } : listed));
  const text =
    /^containers: EXECUTOR_OFF_NETWORK container platform-inst-shop-executor-1 .* not in the network shop-net/;
  t.match(await ofTarget(createContext(t, { platform: withNetworks(['shop-net=earlier id', 'platform-obs']) })), [
    text,
  ]);
  const detached = createContext(t, { platform: withNetworks(['platform-obs']) });
  t.match(await ofTarget(detached), [text]);
  t.same(await listCodes(detached), [{ code: 'EXECUTOR_OFF_NETWORK' }]);
});

t.test('a missing container beside others of its project is told', async (t) => {
  const platform = allContainers.filter(({ name }) => !name.endsWith('-executor-1'));
  t.match(await ofTarget(createContext(t, { platform })), [
    'containers: CONTAINER_ABSENT the compose project platform-inst-shop has no container for its executor',
  ]);
});
