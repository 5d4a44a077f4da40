/** Teardown on a fake machine: what is removed, what stays, and partial failures. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { ContainerInfo } from '../../src/containers/containers.ts';
import type { ContainerEngine } from '../../src/containers/engine.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { resolvePaths } from '../../src/environment/paths.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { createComposeContext } from '../../src/onboarding/compose/compose-context.ts';
import { toPlatform } from '../../src/onboarding/compose/compose-platform.ts';
import { getDefaultKitFolder } from '../../src/onboarding/kit/kit-paths.ts';
import { getScrapeKeyPath } from '../../src/onboarding/machine-keys.ts';
import type { TeardownPorts, TeardownRequest } from '../../src/onboarding/teardown/context.ts';
import { formatTeardown, runTeardown, teardownSteps } from '../../src/onboarding/teardown/teardown.ts';
import { getJournalPath, type JournalFacts, JournalWriter } from '../../src/onboarding/workflow/journal.ts';
import { createTestClient } from '../client/test-client.ts';
import { createWorkspace } from '../commands/test-workspace.ts';
import { startTestServer } from '../server/test-server.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { createListingEngine } from './onboarding-machine.ts';
import { container, type MachineOverrides } from './preflight/preflight-context.ts';

const ownContainers = [
  container({ name: 'platform-inst-shop-executor-1', project: 'platform-inst-shop', service: 'executor' }),
  container({ name: 'platform-router', project: 'platform-router', service: 'router' }),
  container({ name: 'platform-obs-prometheus-1', project: 'platform-obs', service: 'prometheus' }),
];

/** `compose down` removes the containers of the project, unless they are `stuck`. */
function createRemovingEngine(containers: readonly ContainerInfo[], stuck: readonly string[] = []): ContainerEngine {
  const state = { containers };
  const current = (): ContainerEngine => createListingEngine(state.containers);
  return {
    info: current().info,
    run: (args, options) => current().run(args, options),
    async output(args, options) {
      const project = args[0] === 'compose' && args.includes('down') ? args[2] : undefined;
      const isLeft = (item: ContainerInfo): boolean => item.project !== project || stuck.includes(item.name);
      state.containers = state.containers.filter(isLeft);
      return current().output(args, options);
    },
  };
}

type FixtureOptions = { readonly engine?: ContainerEngine; readonly registered?: boolean };

async function createTeardownFixture(t: Test, options: FixtureOptions = {}) {
  const { engine = createRemovingEngine(ownContainers), registered = true } = options;
  const folder = mkdtempSync(join(tmpdir(), 'vp-teardown-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const paths = resolvePaths({}, 'linux', folder);
  const kit = getDefaultKitFolder(paths, 'shop');
  const api = await startTestServer(t);
  const client = createTestClient(api);
  if (registered) await client.instances.create({ instance_id: 'shop' });
  const journal = new JournalWriter({ clock: systemClock, random: systemRandom });
  const facts: JournalFacts = {
    ...{ instance_id: 'shop', asked_id: 'shop', control_plane: client.transport.baseUrl, image: 'vp:v0.4.0-slim' },
    ...{ product_dir: join(folder, 'product'), test_dir: join(folder, 'test') },
    ...{ compose_project: 'shop', network: 'shop', registered },
  };
  journal.attach(kit, facts, undefined);
  await journal.start('registration');
  await journal.finish('registration', 'registered');
  const write = (file: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'x\n');
  };
  for (const file of ['machine.key', 'compose/compose.yaml']) write(join(kit, file));
  write(getScrapeKeyPath(paths));
  const forgottenInstances: string[] = [];
  const environment = { clock: systemClock, random: systemRandom, paths, variables: {}, platform: 'linux' } as const;
  const ports: Omit<TeardownPorts, 'platform'> = {
    environment,
    connect: async () => client,
    forgetScenarios: (instance) => void forgottenInstances.push(instance),
  };
  const run = (
    { engine: openEngine = async () => engine, ...overrides }: Partial<TeardownPorts> & MachineOverrides = {},
    signal = new AbortController().signal,
    { noSignIn = true, instanceId = 'shop', kit: requestedKit = kit }: Partial<TeardownRequest> = {},
  ) => {
    const platform = toPlatform(createComposeContext(environment, { engine: openEngine }));
    const request = { instanceId, controlPlane: client.transport.baseUrl, kit: requestedKit, noSignIn };
    return runTeardown({ request, ports: { ...ports, platform, ...overrides }, onEvent: () => undefined, signal });
  };
  return { run, kit, paths, client, forgotten: forgottenInstances };
}

t.test('everything is removed except the dashboard and the transcript', async (t) => {
  const { run, kit, paths, client, forgotten: forgottenInstances } = await createTeardownFixture(t);
  const result = await run();
  t.match(result, { outcome: 'REMOVED', exit_code: 0, remains: [] });
  t.same(await client.instances.list(), []);
  t.notOk(existsSync(kit));
  t.notOk(existsSync(dirname(getScrapeKeyPath(paths))));
  t.same(forgottenInstances, ['shop']);
  const text = formatTeardown(result);
  t.match(text, /removed {2}container platform-inst-shop-executor-1/);
  t.match(text, /removed {2}container platform-router/);
  t.match(text, /kept {5}platform-obs .*docker compose --project-name platform-obs down --volumes/);
  t.match(text, /kept {5}.*shop\.log: the transcript/);
  t.match(readFileSync(result.transcript ?? '', 'utf8'), /REMOVED/);
});

t.test('shared parts stay while another instance exists', async (t) => {
  const other = container({ name: 'o', project: 'platform-inst-other', service: 'executor' });
  const { run, paths } = await createTeardownFixture(t, {
    engine: createRemovingEngine([...ownContainers, other]),
  });
  const result = await run();
  t.match(formatTeardown(result), /kept {5}platform-router and platform-obs: they serve other/);
  t.ok(existsSync(getScrapeKeyPath(paths)));
  t.notMatch(result.removed.join(), /platform-router/);
});

t.test('an unreachable control plane stops nothing else, and what a retry needs stays', async (t) => {
  const { run, kit } = await createTeardownFixture(t);
  const connect = async () =>
    Promise.reject(vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://localhost:7700', problem: 'nothing answers' }));
  const result = await run({ connect });
  t.match(result, { outcome: 'PARTIALLY REMOVED', exit_code: 1 });
  t.match(result.remains, [
    { reason: /remain/, cure: /vp teardown --tier compose --instance-id shop .* --no-sign-in/ },
  ]);
  t.match(result.removed.join(), /platform-inst-shop-executor-1/);
  t.ok(existsSync(getJournalPath(kit)));
  t.ok(existsSync(join(kit, 'machine.key')));
  t.notOk(existsSync(join(kit, 'compose')));
  t.match(await run(), { outcome: 'REMOVED', exit_code: 0 }, 'again, when it is back');
  t.notOk(existsSync(kit));
});

t.test('an unreachable engine stops nothing else', async (t) => {
  const { run, client } = await createTeardownFixture(t);
  const result = await run({ engine: async () => Promise.reject(vpError('ENGINE_STOPPED', { reason: 'no socket' })) });
  t.match(result, { outcome: 'PARTIALLY REMOVED', exit_code: 1 });
  t.match(result.remains, [{ reason: /containers and volumes of the executor: .*no socket/ }, { reason: /router/ }]);
  t.same(await client.instances.list(), []);
});

t.test('a teardown continues after an interruption at any step', async (t) => {
  for (const { id } of teardownSteps.slice(1)) {
    const { run, kit } = await createTeardownFixture(t);
    const controller = new AbortController();
    const openings: string[] = [];
    const engine = createRemovingEngine(ownContainers);
    const result = await run(
      {
        engine: async () => {
          openings.push('engine');
          if (id === 'shared' && openings.length > 2) controller.abort(new Error('interrupted'));
          return engine;
        },
        connect: async () => {
          controller.abort(new Error('interrupted'));
          controller.signal.throwIfAborted();
          throw new Error('not reached');
        },
      },
      controller.signal,
    );
    t.match(result, { outcome: 'INTERRUPTED', exit_code: 130 }, id);
    t.match(await run(), { outcome: 'REMOVED' });
    t.notOk(existsSync(kit));
  }
});

const unreachableKey = async () =>
  Promise.reject(vpError('MACHINE_KEY_ABSENT', { instance: 'own-app', file: '/kit/machine.key' }));

t.test('a registration that could not be looked up is not reported as removed', async (t) => {
  const { run, client, paths } = await createTeardownFixture(t);
  const partly = await run({ connect: unreachableKey });
  t.match(partly, { outcome: 'PARTIALLY REMOVED', exit_code: 1 });
  const nowhere = getDefaultKitFolder(paths, 'own-app');
  const unknown = await run({ connect: unreachableKey }, undefined, { instanceId: 'own-app', kit: nowhere });
  t.match(unknown, { outcome: 'NOTHING REMOVED', exit_code: 1, removed: [] });
  t.match(unknown.remains, [{ reason: /registration.* remain: .*no machine key/, cure: /without --no-sign-in/ }]);
  t.equal((await client.instances.list()).length, 1);
});

t.test('a machine key that has ended does not prove that the instance was removed', async (t) => {
  const { run, client, kit } = await createTeardownFixture(t);
  const refused = {
    ...client,
    instances: { ...client.instances, remove: () => Promise.reject(vpError('CREDENTIAL_INVALID', {})) },
  };
  const connect = (key: string | undefined) => (key === undefined ? unreachableKey() : Promise.resolve(refused));
  t.match(await run({ connect }), { outcome: 'PARTIALLY REMOVED', exit_code: 1, remains: [{ reason: /may remain/ }] });
  t.ok(existsSync(join(kit, 'machine.key')), 'for a retry');
  const signedIn = (key: string | undefined) => Promise.resolve(key === undefined ? client : refused);
  t.match(await run({ connect: signedIn }), { outcome: 'REMOVED', exit_code: 0 }, 'a stored sign-in can');
  t.same(await client.instances.list(), []);
});

t.test('a mistyped id removes nothing, says so, and leaves an unused kit alone', async (t) => {
  const other = container({ name: 'o', project: 'platform-inst-shop', service: 'executor' });
  const { run, paths, client } = await createTeardownFixture(t, { engine: createListingEngine([other]) });
  const kit = join(paths.data, 'unused-kit');
  mkdirSync(join(kit, 'onboarding'), { recursive: true });
  for (let turn = 0; turn < 2; turn += 1) {
    const result = await run({}, undefined, { instanceId: 'shp', kit });
    t.match(result, { outcome: 'NOTHING REMOVED', exit_code: 1, removed: [] }, `turn ${turn}`);
    t.match(result.remains, [{ reason: /there is no instance shp at http/, cure: /instances of this machine: shop/ }]);
    t.match(formatTeardown(result), /kept {5}.*unused-kit: shp was not onboarded with this kit/);
  }
  t.ok(existsSync(join(kit, 'onboarding')));
  t.equal((await client.instances.list()).length, 1);
});

t.test('the instance of another user, or of another kit, is left alone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vp-other-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [own] = ownContainers;
  const foreign = { ...container({ ...own, name: 'platform-inst-shop-executor-1' }), folder };
  const { run, kit, client } = await createTeardownFixture(t, { engine: createRemovingEngine([foreign]) });
  await t.rejects(run(), { code: 'INSTANCE_OF_ANOTHER', message: /shop .*belong to another user or another kit/ });
  t.ok(existsSync(getJournalPath(kit)));
  t.equal((await client.instances.list()).length, 1, 'and its registration');
  rmSync(folder, { recursive: true });
  t.match(await run(), { outcome: 'REMOVED' }, 'its owner is gone');
});

t.test('a container that outlives its removal is reported', async (t) => {
  const stuck = 'platform-inst-shop-executor-1';
  const { run } = await createTeardownFixture(t, { engine: createRemovingEngine(ownContainers, [stuck]) });
  const result = await run();
  t.match(result, { outcome: 'PARTIALLY REMOVED', exit_code: 1, remains: [{ reason: `still there: ${stuck}` }] });
  t.notMatch(result.removed.join(), stuck);
});

t.test('an onboarding that ended before its registration is removed without asking for one', async (t) => {
  const { run, kit } = await createTeardownFixture(t, { engine: createListingEngine([]), registered: false });
  const result = await run({ connect: unreachableKey });
  t.match(result, { outcome: 'REMOVED', exit_code: 0, remains: [] });
  t.notOk(existsSync(kit));
});

t.test('a second teardown has nothing to do', async (t) => {
  const { run } = await createTeardownFixture(t, { engine: createListingEngine([]) });
  await run();
  const secondResult = await run();
  t.match(secondResult, { outcome: 'REMOVED', exit_code: 0, removed: [] });
  t.match(formatTeardown(secondResult), /nothing was left to remove/);
});

t.test('a teardown that was killed after its last step is repeated with success', async (t) => {
  const { run } = await createTeardownFixture(t, { engine: createRemovingEngine([]) });
  const { transcript } = await run();
  writeFileSync(transcript ?? '', '2026-11-22T10:00:00.000Z onboard: preflight, folders\n');
  t.match(await run(), { outcome: 'REMOVED', exit_code: 0, removed: [], remains: [] }, 'it was onboarded here once');
  writeFileSync(transcript ?? '', '2026-11-22T10:00:00.000Z teardown: executor-project, registration\n');
  t.match(await run(), { outcome: 'NOTHING REMOVED', exit_code: 1 }, 'it never was');
});

t.test('the command reports what is missing', async (t) => {
  const { vp, write } = createWorkspace(t, 'http://127.0.0.1:1');
  // Something listens there: otherwise that would be the reason.
  const controlPlane = await startHttpTarget(respondWithJson({}));
  t.teardown(() => controlPlane.close());
  t.match(await vp(['teardown']), { code: 2, stderr: /TEARDOWN_NAME_MISSING/ });
  for (const id of ['../../../../evil', 'Bad_Id', 'a'.repeat(23), ''])
    t.match(
      await vp(['teardown', '--instance-id', id]),
      { code: 2, stderr: /INSTANCE_ID_INVALID|FLAG_VALUE_MISSING/ },
      id,
    );
  const facts: JournalFacts = {
    ...{ instance_id: 'shop', asked_id: 'shop', control_plane: controlPlane.origin, image: 'vp:v0.4.0-slim' },
    ...{ product_dir: '/none', test_dir: '/none', compose_project: 'shop', network: 'shop', registered: true },
  };
  write('kit/journal.json', JSON.stringify({ version: 1, facts, in_hand: null, finished: [] }));
  const other = await vp(['teardown', '--kit', 'kit', '--instance-id', 'other']);
  t.match(other, { code: 2, stderr: /KIT_SERVES_ANOTHER/ });
  const withoutKey = await vp(['teardown', '--kit', 'kit', '--no-sign-in', '--control-plane', controlPlane.origin], {
    variables: { PATH: '/nowhere' },
  });
  t.match(withoutKey, { code: 1, stdout: /this machine has no machine key for shop/ }, 'MACHINE_KEY_ABSENT');
});
