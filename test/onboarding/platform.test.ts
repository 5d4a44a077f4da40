/** The platform port: steps use nothing of a tier but the port, and the compose tier answers it on a fake engine. */
import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import type { ComponentSpec, Platform } from '../../src/onboarding/platform/platform.ts';
import { configStep } from '../../src/onboarding/steps/config.ts';
import { imageStep } from '../../src/onboarding/steps/image.ts';
import { routerStep } from '../../src/onboarding/steps/router.ts';
import { createListingEngine, createTestMachine, target } from './onboarding-machine.ts';
import { container, createTestPlatform } from './preflight/preflight-context.ts';

const options = { signal: new AbortController().signal, report: () => undefined };

t.test('only the compose tier uses the container engine', async (t) => {
  const files = globSync('src/onboarding/**/*.ts').map((file) => file.replaceAll('\\', '/'));
  const importing = files.filter((file) => /from '[^']*\/containers\//.test(readFileSync(file, 'utf8')));
  t.same(
    importing.filter((file) => !file.startsWith('src/onboarding/compose/')),
    // The tag of an image reference, which is the same on every tier.
    ['src/onboarding/image-release.ts'],
  );
});

t.test('names of projects are written in one file', async (t) => {
  const folders = ['onboarding', 'control', 'dashboard', 'containers'];
  const files = folders.flatMap((folder) => globSync(`src/${folder}/**/*.ts`));
  t.ok(files.length > 50);
  const naming = files.filter((file) => /['"`/]platform-(inst-|router|obs)/.test(readFileSync(file, 'utf8')));
  t.same(naming, []);
});

t.test('steps run on another implementation of the port', async (t) => {
  const calls: string[] = [];
  const platform: Platform = {
    ...createTestPlatform(),
    assertTarget: async ({ network }) => void calls.push(`target in ${network}`),
    async inspect(spec: ComponentSpec) {
      calls.push(`inspect ${spec.component}`);
      return { state: 'todo', detail: 'missing' };
    },
    async apply(spec: ComponentSpec) {
      calls.push(`apply ${spec.component}`);
      return { detail: 'applied' };
    },
    async remove({ scope }) {
      calls.push(`remove ${scope}`);
      return { containers: [], volumes: [] };
    },
  };
  const { run } = await createTestMachine(t);
  const context = run({ ports: { platform }, state: { instanceId: 'shop' } });
  await configStep.check(context);
  for (const step of [imageStep, routerStep]) {
    t.match(await step.check(context), { state: 'todo' });
    t.match(await step.act?.(context), { detail: 'applied' });
    await step.undo?.(context);
  }
  t.same(calls, [
    'target in shop-net',
    ...['inspect image', 'apply image'],
    ...['inspect router', 'apply router', 'remove started'],
  ]);
});

t.test('the plan of the compose tier lists resources and files', async (t) => {
  const executor = container({ name: 'platform-inst-shop-executor-1', project: 'platform-inst-shop' });
  const engine = createListingEngine([...target, executor]);
  const platform = createTestPlatform({ engine: async () => engine });
  const deployment = { instanceId: 'shop', image: 'vp:v0.4.0-slim', port: 8765, kit: '/kit' };
  const targetNetwork = { composeProject: 'shop', network: 'shop-net' };
  const { resources, instanceFiles, sharedFiles } = await platform.plan({ ...deployment, target: targetNetwork });
  const changes = new Map(resources.map(({ kind, name, change }) => [`${kind} ${name}`, change]));
  t.equal(changes.get('container platform-inst-shop-executor-1'), 'kept');
  t.equal(changes.get('container platform-router'), 'created');
  t.equal(changes.get('network platform-obs'), 'kept');
  t.equal(changes.get('network shop-net'), 'joined');
  t.equal(changes.get('volume platform-inst-shop_config'), 'created');
  t.equal(changes.get('port 127.0.0.1:8765 (platform-inst-shop-executor-1)'), 'kept');
  t.same(instanceFiles, ['/kit/compose/compose.yaml']);
  t.match(sharedFiles, [/shared\/obs\/compose\.yaml$/, /shared\/router\/compose\.yaml$/]);
});

t.test('shared parts are planned for removal only with the last instance', async (t) => {
  const executor = (id: string) => container({ name: id, project: `platform-inst-${id}`, service: 'executor' });
  const router = container({ name: 'platform-router', project: 'platform-router' });
  const scope = { scope: 'shared', instanceId: 'shop' } as const;
  const planFor = (...ids: readonly string[]) =>
    createTestPlatform({ engine: async () => createListingEngine([...ids.map(executor), router]) }).planRemoval(scope);
  t.match(await planFor('shop', 'till'), { usedBy: ['till'], containers: [], retained: [{ why: 'they serve till' }] });
  t.match(await planFor('shop'), { usedBy: [], containers: ['platform-router'], retained: [] });
});

t.test('the compose tier describes the holder of a port by the part of the platform', async (t) => {
  const holders = [
    ['platform-router', 'router', undefined],
    ['platform-obs', 'observability', undefined],
    ['platform-inst-shop', 'instance', 'shop'],
    ['shop', undefined, undefined],
  ] as const;
  for (const [project, component, instanceId] of holders) {
    const holder = { port: 1, container: container({ name: 'x', project }), listener: undefined };
    const platform = createTestPlatform({ findPortHolder: async () => holder });
    t.match(await platform.findPortHolder(1), { component, instanceId, description: /^container x/ }, project);
  }
  t.equal(await createTestPlatform().findPortHolder(1), undefined);
});

t.test('a component that existed before this run is not removed', async (t) => {
  const platform = createTestPlatform();
  const scope = { scope: 'started', component: 'router', instanceId: 'shop' } as const;
  await t.rejects(platform.remove(scope, options), { message: 'platform-router existed before this run' });
});
