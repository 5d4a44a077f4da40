/** What the compose tier finds wrong with what is there, and how it repairs it: recreated, joined, or left to its owner. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ContainerInfo } from '../../../src/containers/containers.ts';
import type { ContainerEngine } from '../../../src/containers/engine.ts';
import { pullImage } from '../../../src/containers/images.ts';
import { oneOffLabel, runOneOffContainer } from '../../../src/containers/one-off-container.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { selectControlPlane } from '../../../src/onboarding/compose/components/watched-control-plane.ts';
import { createComposeContext } from '../../../src/onboarding/compose/compose-context.ts';
import { toPlatform } from '../../../src/onboarding/compose/compose-platform.ts';
import type { ComponentSpec } from '../../../src/onboarding/platform/platform.ts';
import { container, createFakeEngine } from '../preflight/preflight-context.ts';

const options = { signal: new AbortController().signal, report: () => undefined };
const healthy = 'Up 2 minutes (healthy)';
const project = 'platform-inst-shop';
const executor = container({
  ...{ name: `${project}-executor-1`, project, service: project, status: healthy },
  networks: ['shop-net', 'platform-obs'],
});
const reader = container({ name: `${project}-log-reader-1`, project, service: 'log-reader', status: healthy });

/** Of another user's compose file. */
function createOtherFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-other-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function createPlatform(t: Test, listed: readonly ContainerInfo[]) {
  const folder = t.testdir();
  const commands: string[] = [];
  const paths = { data: join(folder, 'data'), config: join(folder, 'config'), cache: join(folder, 'cache') };
  const environment = { platform: 'linux', variables: {}, paths, random: systemRandom } as const;
  const engine = createFakeEngine(listed, {}, commands);
  const platform = toPlatform(createComposeContext(environment, { engine: async () => engine }));
  const composeCommands = () => commands.filter((line) => line.startsWith('compose'));
  return { platform, folder, paths, commands, composeCommands };
}

const instanceSpec = (hasNewConfig = false): ComponentSpec<'instance'> => ({
  ...{ component: 'instance', instanceId: 'shop', port: 8765, kit: '/kit', hasNewConfig },
  target: { composeProject: 'shop', network: 'shop-net' },
});

t.test('an instance in the networks as they are now is left alone', async (t) => {
  const { platform } = createPlatform(t, [executor, reader]);
  t.match(await platform.inspect(instanceSpec()), { state: 'done' });
});

t.test('an executor in a network that was made anew is created again', async (t) => {
  for (const networks of [
    ['shop-net=earlier', 'platform-obs'],
    ['platform-obs'],
    ['shop-net', 'platform-obs=earlier'],
  ]) {
    const { platform, composeCommands } = createPlatform(t, [{ ...executor, networks }, reader]);
    t.match(await platform.inspect(instanceSpec()), {
      state: 'todo',
      detail: /not in the network (shop-net|platform-obs)/,
    });
    await platform.apply(instanceSpec(), options);
    t.match(composeCommands(), [/^compose --project-name platform-inst-shop .* up .*--force-recreate$/]);
  }
});

t.test('a changed config recreates the containers without stopping them first', async (t) => {
  const { platform, commands, composeCommands } = createPlatform(t, [executor, reader]);
  await platform.apply(instanceSpec(true), options);
  t.match(composeCommands(), [/--force-recreate$/]);
  t.notOk(
    commands.some((line) => line.startsWith('stop')),
    'compose may see a container that was just stopped as running',
  );
  const same = createPlatform(t, [{ ...executor, state: 'exited' }, reader]);
  await same.platform.apply(instanceSpec(), options);
  t.notMatch(same.composeCommands().join(), /--force-recreate/);
});

const routerSpec: ComponentSpec<'router'> = { component: 'router', image: 'vp:v0.4.0-slim', scrapeKey: 'vps_x' };

t.test('a router of another user is joined and never rewritten; its own is recreated with a new key', async (t) => {
  const folder = createOtherFolder(t);
  const router = container({
    ...{ name: 'platform-router', project: 'platform-router', service: 'router', status: healthy },
    networks: ['platform-obs'],
  });
  const joined = createPlatform(t, [{ ...router, folder }]);
  t.match(await joined.platform.inspect(routerSpec), { state: 'done', detail: /started by another user/ });
  const stopped = createPlatform(t, [{ ...router, folder, state: 'exited', status: 'Exited (0)' }]);
  t.match(await stopped.platform.inspect(routerSpec), { state: 'todo' });
  await stopped.platform.apply(routerSpec, options);
  t.same(stopped.composeCommands(), []);
  t.ok(stopped.commands.includes('start platform-router'));
  const own = createPlatform(t, [router]);
  await own.platform.apply(routerSpec, options);
  t.match(await own.platform.inspect(routerSpec), { state: 'done' });
  const changed = { ...routerSpec, scrapeKey: 'vps_other' };
  t.match(await own.platform.inspect(changed), { state: 'todo', detail: 'its key changed' });
  await own.platform.apply(changed, options);
  t.match(own.composeCommands().at(-1), /--force-recreate$/);
});

const obsSpec: ComponentSpec<'observability'> = {
  ...{ component: 'observability', image: 'vp:v0.4.0-slim', instanceId: 'shop', dashboardUrl: undefined },
  ...{ scrapeKey: 'vps_x', endpoint: { kind: 'url', url: 'https://c.example' } },
};

t.test('a dashboard of another user is not taken over, and that is told', async (t) => {
  const folder = createOtherFolder(t);
  const dashboard = container({
    name: 'platform-obs-dashboard-1',
    project: 'platform-obs',
    service: 'dashboard',
    folder,
  });
  const { platform, composeCommands, commands } = createPlatform(t, [dashboard]);
  t.match(await platform.inspect(obsSpec), { state: 'todo', detail: /belong to another user/ });
  const { failure } = await platform.apply(obsSpec, options);
  t.match(failure, {
    code: 'DASHBOARD_OF_ANOTHER',
    message: /belong to another user .*vp-other/,
    cure: /to take over/,
  });
  t.same(composeCommands(), []);
  t.notOk(
    commands.some((line) => line.startsWith('run')),
    'its keys stay',
  );
  const gone = createPlatform(t, [{ ...dashboard, folder: join(folder, 'removed') }]);
  t.match(await gone.platform.inspect(obsSpec), { state: 'todo', detail: 'to be written' }, 'its owner has left');
});

t.test('the dashboard stays with its control plane while another instance uses that', async (t) => {
  const { paths } = createPlatform(t, []);
  const folder = join(paths.data, 'shared/obs');
  mkdirSync(folder, { recursive: true });
  const first = { kind: 'url', url: 'https://first.example' } as const;
  const second = { kind: 'url', url: 'https://second.example' } as const;
  const addInstance = (id: string, url: string, registered = true): void => {
    const kit = join(paths.data, 'kits', id);
    mkdirSync(kit, { recursive: true });
    const facts = {
      ...{ instance_id: id, asked_id: id, control_plane: url, product_dir: '/p', test_dir: '/t', image: 'i' },
      ...{ compose_project: id, network: id, registered },
    };
    writeFileSync(join(kit, 'journal.json'), JSON.stringify({ version: 1, facts, in_hand: null, finished: [] }));
  };
  writeFileSync(join(folder, 'control-plane.json'), JSON.stringify({ control_plane: first.url, endpoint: first }));
  addInstance('shop', second.url);
  const select = () => selectControlPlane(paths, folder, { instanceId: 'shop', endpoint: second });
  t.match(await select(), { endpoint: second, isOther: false }, 'nobody uses the first');
  addInstance('till', first.url);
  t.match(await select(), { endpoint: first, isOther: true });
  addInstance('till', first.url, false);
  t.match(await select(), { endpoint: second, isOther: false });
});

t.test('an image without a registry is not looked for in a public one', async (t) => {
  const commands: string[] = [];
  const engine = createFakeEngine([], {}, commands);
  await t.rejects(pullImage(engine, 'vp:v0.4.0-slim'), {
    code: 'IMAGE_ABSENT',
    row: { exit: 2 },
    cure: /`npm run image`/,
  });
  t.same(commands, []);
});

t.test('an interrupted one-off container is removed by its name and carries a label', async (t) => {
  const commands: (readonly string[])[] = [];
  const engine: ContainerEngine = {
    ...createFakeEngine([]),
    run: async (args) => {
      commands.push(args);
      const kind = args[0] === 'run' ? 'cancelled' : 'exited';
      return { kind, exitCode: kind === 'exited' ? 0 : undefined, stdout: '', stderr: '', durationMs: 1 };
    },
  };
  await runOneOffContainer(engine, { image: 'i', args: [], network: 'n' });
  const [run, remove] = commands;
  const name = run?.[run.indexOf('--name') + 1];
  t.equal(run?.[run.indexOf('--label') + 1], `${oneOffLabel}=true`);
  t.same(remove, ['rm', '--force', '--volumes', name]);
});

t.test('a teardown removes one-off containers that a killed run has left', async (t) => {
  const states = ['created', 'exited', 'dead', 'running'];
  const left = states.map((state) => container({ name: `vp-one-off-${state}`, state }));
  const { platform, commands } = createPlatform(t, [...left, container({ name: 'app', state: 'exited' })]);
  await platform.remove({ scope: 'instance', instanceId: 'shop' }, options);
  const removal = 'rm --force vp-one-off-created vp-one-off-exited vp-one-off-dead';
  t.ok(commands.includes(removal), 'not those that run');
});
