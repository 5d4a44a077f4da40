/** Each step on its own: what it checks, refuses and leaves behind. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { createScenarioSender, readScenarioTexts } from '../../src/commands/onboard/scenario-import.ts';
import { countTools } from '../../src/commands/onboard/service-calls.ts';
import type { ContainerEngine } from '../../src/containers/engine.ts';
import { resolvePaths } from '../../src/environment/paths.ts';
import { type OnboardingContext, requireState } from '../../src/onboarding/context.ts';
import { parseReleaseTag } from '../../src/onboarding/image-release.ts';
import { configStep } from '../../src/onboarding/steps/config.ts';
import { controlPlaneEndpointStep } from '../../src/onboarding/steps/control-plane-endpoint.ts';
import { executorOnlineStep } from '../../src/onboarding/steps/executor-online.ts';
import { foldersStep } from '../../src/onboarding/steps/folders.ts';
import { imageStep } from '../../src/onboarding/steps/image.ts';
import { instanceStep } from '../../src/onboarding/steps/instance.ts';
import { instanceIdStep } from '../../src/onboarding/steps/instance-id.ts';
import { registrationStep } from '../../src/onboarding/steps/registration.ts';
import { scenariosStep } from '../../src/onboarding/steps/scenarios.ts';
import { signInStep } from '../../src/onboarding/steps/sign-in.ts';
import { readJournal } from '../../src/onboarding/workflow/journal.ts';
import { createScenarioText } from '../control/report-fixture.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { getPort } from '../targets/raw-target.ts';
import { createListingEngine, createTestMachine, target } from './onboarding-machine.ts';
import { container } from './preflight/preflight-context.ts';

const git = (folder: string, ...args: string[]): void => {
  execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
};

t.test('the .env is ignored, also before there is a repository, and a tracked one is an error', async (t) => {
  const { folder, write, run } = await createTestMachine(t);
  write('product/.env', 'API_TOKEN=secret\n');
  const context = run();
  t.match(await foldersStep.check(context), { state: 'todo' });
  await foldersStep.act?.(context);
  t.equal(readFileSync(join(folder, 'product/.gitignore'), 'utf8'), '/.env\n');
  t.match(await foldersStep.check(context), { state: 'done' });
  git(join(folder, 'product'), 'init', '--quiet');
  t.match(await foldersStep.check(context), { state: 'done' });
  git(join(folder, 'product'), 'add', '--force', '.env');
  await t.rejects(foldersStep.check(context), { code: 'ENV_TRACKED', cure: /git -C \S+ rm --cached \.env/ });
  await t.rejects(foldersStep.check(run({ request: { testDir: join(folder, 'product') } })), {
    code: 'FOLDERS_NOT_APART',
  });
});

t.test('the target of the config must exist, and errors list what exists', async (t) => {
  const { run, write } = await createTestMachine(t);
  t.match(await configStep.check(run()), { state: 'done', detail: /My Shop, http:\/\/app:3100/ });
  const formatTestConfig = (project: string, network: string) =>
    `project: {name: a}\ntargets: {http: {base_url: "http://app:1"}}\ndeploy: {compose_project: ${project}, network: ${network}}\n`;
  write('product/platform-config.yaml', formatTestConfig('shops', 'shop-net'));
  await t.rejects(configStep.check(run()), { code: 'DEPLOY_PROJECT_UNKNOWN', message: /it has: shop$/ });
  write('product/platform-config.yaml', formatTestConfig('shop', 'shop_default'));
  await t.rejects(configStep.check(run()), { code: 'DEPLOY_NETWORK_UNKNOWN', message: /it has: bridge, shop-net$/ });
  write('product/platform-config.yaml', 'project: {name: a}\ntargets: {http: {base_url: "http://app:1"}}\n');
  await t.rejects(configStep.check(run()), { code: 'CONFIG_INVALID' });
});

t.test('an image must have a release tag', async (t) => {
  t.equal(parseReleaseTag('v0.4.0-slim'), '0.4.0');
  t.equal(parseReleaseTag('v0.4.0-rc.1-slim'), '0.4.0-rc.1');
  const { run } = await createTestMachine(t);
  for (const image of ['images.example.org/vp:slim', 'vp', 'vp:latest', 'vp:0.4.0-slim', 'vp@sha256:00']) {
    await t.rejects(imageStep.check(run({ request: { image } })), { code: 'IMAGE_TAG_REFUSED' }, image);
  }
  t.match(await imageStep.check(run()), { state: 'done' });
});

/** Runs the steps up to the registration. */
async function register(context: OnboardingContext): Promise<string> {
  await configStep.check(context);
  await instanceIdStep.check(context);
  context.state.port ??= 8765;
  if ((await registrationStep.check(context)).state === 'todo') await registrationStep.act?.(context);
  return requireState(context, 'instanceId');
}

t.test('a free id is used, a taken one gets -v1, then -v2, and one of this machine is repaired', async (t) => {
  const { run, api, warnings, folder } = await createTestMachine(t);
  await api.control.instances.create({ instance_id: 'shop' }, { name: 'Ben' });
  t.equal(await register(run()), 'shop-v1');
  t.match(warnings, [/shop is taken: using shop-v1/]);
  t.equal(await register(run()), 'shop-v1', 'again: it is our own');
  t.equal(await register(run({ request: { instanceId: 'shop-v1' } })), 'shop-v1', 'by the name that was printed');
  t.equal(await register(run({ request: { instanceId: 'other' } })), 'other');
  await api.control.instances.create({ instance_id: 'till-v1' }, { name: 'Ben' });
  await api.control.instances.create({ instance_id: 'till' }, { name: 'Ben' });
  t.equal(await register(run({ request: { instanceId: 'till' } })), 'till-v2');
  t.equal(await register(run({ request: { instanceId: undefined } })), 'my-shop', 'from the name of the project');
  const longId = 'a-very-long-id-of-shop';
  await api.control.instances.create({ instance_id: longId }, { name: 'Ben' });
  t.equal(await register(run({ request: { instanceId: longId } })), 'a-very-long-id-of-s-v1');
  await t.rejects(register(run({ request: { instanceId: 'Shop_1' } })), { code: 'INSTANCE_ID_INVALID' });
  const facts = await readJournal(join(folder, 'home/.local/share/vp/kits/shop-v1'));
  t.match(facts, { facts: { registered: true, asked_id: 'shop', executor_port: 8765 } });
});

t.test('other folders are another project, and a new kit folder does not replace the existing kit', async (t) => {
  const { run, write, folder, warnings } = await createTestMachine(t);
  t.equal(await register(run()), 'shop');
  t.equal(await register(run({ request: { kit: join(folder, 'kit') } })), 'shop');
  t.match(warnings, [/shop is served by the kit .*kits\/shop/]);
  write('other/test/.keep', '');
  const config = readFileSync(join(folder, 'product/platform-config.yaml'), 'utf8');
  write('other/product/platform-config.yaml', config);
  const elsewhere = { productDir: join(folder, 'other/product'), testDir: join(folder, 'other/test') };
  t.equal(await register(run({ request: elsewhere })), 'shop-v1');
  rmSync(join(folder, 'product'), { recursive: true });
  t.equal(await register(run({ request: { ...elsewhere, instanceId: 'shop' } })), 'shop', 'the first one was moved');
});

t.test('a kit serves one instance only', async (t) => {
  const { run, folder } = await createTestMachine(t);
  const kit = join(folder, 'kit');
  t.equal(await register(run({ request: { kit } })), 'shop');
  await t.rejects(register(run({ request: { kit, instanceId: 'other' } })), {
    code: 'KIT_SERVES_ANOTHER',
    message: /serves the instance shop, not other/,
  });
  t.equal(await register(run({ request: { kit } })), 'shop');
});

t.test('containers that serve another control plane are not replaced', async (t) => {
  const other = container({ name: 'x', project: 'platform-inst-shop', service: 'executor' });
  const shopContainer = container({ name: 'shop-app-1', project: 'shop', service: 'app' });
  const { run } = await createTestMachine(t, { engine: () => createListingEngine([shopContainer, other]) });
  t.equal(await register(run()), 'shop-v1');
});

t.test('an interrupted registration is removed from the control plane', async (t) => {
  const { run, client } = await createTestMachine(t);
  const context = run();
  await register(context);
  await registrationStep.undo?.(context);
  t.same(await client.instances.list(), []);
  const secondRun = run();
  t.equal(await register(secondRun), 'shop');
  const repairRun = run();
  await register(repairRun);
  await registrationStep.undo?.(repairRun);
  t.equal((await client.instances.list()).length, 1, 'one that was there before stays');
});

t.test(
  'a run killed right after registering is continued, and another user’s registration is not taken over',
  async (t) => {
    const { run, client, folder } = await createTestMachine(t);
    const killedRun = run();
    await configStep.check(killedRun);
    await instanceIdStep.check(killedRun);
    await killedRun.journal.start('registration');
    await client.instances.create({ instance_id: 'shop' });
    t.equal(await register(run()), 'shop');
    const secondContext = run({ request: { instanceId: 'till' } });
    await configStep.check(secondContext);
    await instanceIdStep.check(secondContext);
    secondContext.state.port = 8765;
    await registrationStep.check(secondContext);
    await secondContext.journal.start('registration');
    await client.instances.create({ instance_id: 'till' });
    await t.rejects(async () => registrationStep.act?.(secondContext), { code: 'INSTANCE_ID_TAKEN' });
    t.match(await readJournal(join(folder, 'home/.local/share/vp/kits/till')), { in_hand: null });
    t.equal(await register(run({ request: { instanceId: 'till' } })), 'till-v1');
  },
);

t.test('nothing is registered if the network does not reach the control plane', async (t) => {
  const { run, client } = await createTestMachine(t);
  const context = run({ request: { controlPlane: 'http://127.0.0.1:7700' } });
  await configStep.check(context);
  await t.rejects(controlPlaneEndpointStep.check(context), {
    code: 'CONTROL_PLANE_NO_WAY',
    message: /host\.docker\.internal/,
  });
  t.same(await client.instances.list(), []);
});

t.test('containers that do not start are reported with exit code 3 and its sentence', async (t) => {
  let engine = createListingEngine(target);
  const { run } = await createTestMachine(t, { engine: () => engine });
  const context = run();
  await register(context);
  engine = {
    ...engine,
    output: async (args) => {
      if (args[0] === 'compose') throw new TypeError('a fault of ours');
      return '';
    },
  };
  const startInstance = async (): Promise<void> => void (await instanceStep.act?.(context));
  await t.rejects(startInstance, { message: 'a fault of ours' });
  const { vpError } = await import('../../src/errors/vp-error.ts');
  engine = {
    ...engine,
    output: async (args) => {
      if (args[0] !== 'compose') return '';
      throw vpError('ENGINE_COMMAND_FAILED', { command: 'docker compose up', reason: 'no space left on device' });
    },
  };
  await t.rejects(startInstance, {
    code: 'INSTANCE_NOT_STARTED',
    row: { exit: 3 },
    message: /no space left/,
    cure: /do not tear down; wait a few minutes and check Settings → Environments/,
  });
});

t.test('an interrupted start is undone unless the containers existed before', async (t) => {
  const commands: string[] = [];
  const targetEngine = createListingEngine(target);
  let engine: ContainerEngine = {
    ...targetEngine,
    output: async (args, call) => {
      commands.push(args.join(' '));
      return targetEngine.output(args, call);
    },
  };
  const { run } = await createTestMachine(t, { engine: () => engine });
  const context = run();
  await register(context);
  await instanceStep.act?.(context);
  await instanceStep.undo?.(context);
  t.match(commands.at(-1), /^compose --project-name platform-inst-shop down/);
  const existing = container({ name: 'x', project: 'platform-inst-shop', service: 'executor' });
  const secondRun = run({ request: { instanceId: 'shop' } });
  await register(secondRun);
  engine = createListingEngine([existing]);
  await instanceStep.act?.(secondRun);
  await t.rejects(async () => instanceStep.undo?.(secondRun), { message: /existed before this run/ });
});

t.test('a version other than the recommended one is warned about once', async (t) => {
  const { run, warnings } = await createTestMachine(t);
  await register(run({ request: { image: 'vp:v0.3.9-slim' } }));
  t.same(warnings, ['the image is version 0.3.9, and the control plane recommends its own, 0.4.0']);
});

t.test('PLATFORM_AUTHOR_TOKEN is reported as deprecated once', async (t) => {
  const { run, warnings } = await createTestMachine(t);
  const context = run();
  const variables = { PLATFORM_AUTHOR_TOKEN: 'vpk_author' };
  const environment = { ...context.ports.environment, variables };
  await signInStep.check({ ...context, ports: { ...context.ports, environment } });
  t.match(warnings, [/PLATFORM_AUTHOR_TOKEN is deprecated/]);
  t.notMatch(warnings, /vpk_author/);
});

t.test('a missing executor is waited for, then reported with exit code 3', async (t) => {
  const { run } = await createTestMachine(t);
  const context = run();
  await register(context);
  let nowMs = 0;
  const clock = {
    ...context.ports.environment.clock,
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const slowContext = { ...context, ports: { ...context.ports, environment: { ...context.ports.environment, clock } } };
  t.match(await executorOnlineStep.check(slowContext), { state: 'todo', detail: 'executor NEVER_SEEN' });
  t.match(await executorOnlineStep.act?.(slowContext), { shortfall: { passes: true, cure: /do not tear down/ } });
  t.ok(nowMs >= 60_000);
});

t.test('another process on the router’s port is reported', async (t) => {
  const server = createServer((_, response) => response.writeHead(404).end('nothing here'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.teardown(() => server.close());
  const { signal } = new AbortController();
  await t.rejects(countTools(`http://127.0.0.1:${getPort(server)}/mcp`, 'vpr_x', signal), {
    code: 'ROUTER_UNREACHABLE',
  });
  await t.rejects(countTools('http://127.0.0.1:1/mcp', 'vpr_x', signal), { code: 'ROUTER_UNREACHABLE' });
});

t.test(
  'the import keeps edits of the catalogue, and a change of both sides is a shortfall that names both revisions',
  async (t) => {
    const { run, api, client, folder, write } = await createTestMachine(t);
    await api.control.instances.create({ instance_id: 'shop' }, { name: 'Ana' });
    for (const id of ['RT-one', 'RT-two']) write(`test/scenarios/${id}.md`, createScenarioText(id));
    const { environment } = memoryEnvironment({ cwd: folder, paths: resolvePaths({}, 'linux', join(folder, 'home')) });
    const importAgain = async () => {
      const context = run({
        state: { client, instanceId: 'shop' },
        ports: {
          readScenarios: (testDir) => readScenarioTexts(testDir, folder),
          sendScenario: createScenarioSender(environment),
        },
      });
      return (await scenariosStep.check(context)).state === 'todo' ? scenariosStep.act?.(context) : undefined;
    };
    t.match(await importAgain(), { detail: 'imported 2 of 2' });
    const edited = (id: string) =>
      client.scenarios.write('shop', id, { text: createScenarioText(id, 'body has count') });
    await edited('RT-one');
    await edited('RT-two');
    const unchanged = await importAgain();
    t.match(unchanged, { detail: 'imported 0 of 2, 2 kept as edited in the catalogue' });
    t.notOk(unchanged?.shortfall);
    write('test/scenarios/RT-two.md', createScenarioText('RT-two', 'body has total'));
    t.match(await importAgain(), {
      shortfall: {
        reason: /conflict in RT-two\.md: the catalogue has revision 2 by owner, and this file is based on revision 1/,
        cure: /`vp scenarios push \S+ --instance shop --force`.*--keep`/,
      },
    });
    t.equal((await client.scenarios.get('shop', 'RT-two')).revision, 2);
  },
);
