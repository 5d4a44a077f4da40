/** Each step for itself: what it looks at, what it refuses, and what it leaves behind. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { countTools } from '../../src/commands/onboard/count-tools.ts';
import type { Engine } from '../../src/containers/engine.ts';
import { known, type OnboardingContext } from '../../src/onboarding/context.ts';
import { readJournal } from '../../src/onboarding/engine/journal.ts';
import { configStep } from '../../src/onboarding/steps/config.ts';
import { executorSeenStep } from '../../src/onboarding/steps/executor-seen.ts';
import { foldersStep } from '../../src/onboarding/steps/folders.ts';
import { imageStep, versionOfTag } from '../../src/onboarding/steps/image.ts';
import { instanceStep } from '../../src/onboarding/steps/instance.ts';
import { instanceIdStep } from '../../src/onboarding/steps/instance-id.ts';
import { registrationStep } from '../../src/onboarding/steps/registration.ts';
import { signInStep } from '../../src/onboarding/steps/sign-in.ts';
import { wayStep } from '../../src/onboarding/steps/way.ts';
import { portOf } from '../targets/raw-target.ts';
import { engineOf, machine } from './onboarding-context.ts';
import { container } from './preflight/machine.ts';

const git = (folder: string, ...words: string[]): void => {
  execFileSync('git', ['-C', folder, ...words], { stdio: 'ignore' });
};

t.test('the .env of a repository is kept out of it; one that git has already stops', async (t) => {
  const { folder, write, run } = await machine(t);
  write('product/.env', 'API_TOKEN=secret\n');
  const context = run();
  t.match(await foldersStep.check(context), { state: 'done' });
  git(join(folder, 'product'), 'init', '--quiet');
  t.match(await foldersStep.check(context), { state: 'todo' });
  await foldersStep.act?.(context);
  t.equal(readFileSync(join(folder, 'product/.gitignore'), 'utf8'), '/.env\n');
  t.match(await foldersStep.check(context), { state: 'done' });
  git(join(folder, 'product'), 'add', '--force', '.env');
  await t.rejects(foldersStep.check(context), { code: 'ENV_TRACKED', cure: /git rm --cached/ });
  await t.rejects(foldersStep.check(run({ asked: { testDir: join(folder, 'product') } })), {
    code: 'FOLDERS_NOT_APART',
  });
});

t.test('what the config says of the target must be so; what there is, is listed', async (t) => {
  const { run, write } = await machine(t);
  t.match(await configStep.check(run()), { state: 'done', detail: /My Shop, http:\/\/app:3100/ });
  const say = (project: string, network: string) =>
    `project: {name: a}\ntargets: {http: {base_url: "http://app:1"}}\ndeploy: {compose_project: ${project}, network: ${network}}\n`;
  write('product/platform-config.yaml', say('shops', 'shop-net'));
  await t.rejects(configStep.check(run()), { code: 'DEPLOY_PROJECT_UNKNOWN', message: /it has: shop$/ });
  write('product/platform-config.yaml', say('shop', 'shop_default'));
  await t.rejects(configStep.check(run()), { code: 'DEPLOY_NETWORK_UNKNOWN', message: /it has: bridge, shop-net$/ });
  write('product/platform-config.yaml', 'project: {name: a}\ntargets: {http: {base_url: "http://app:1"}}\n');
  await t.rejects(configStep.check(run()), { code: 'CONFIG_INVALID' });
});

t.test('an image is named by its release', async (t) => {
  t.equal(versionOfTag('v0.4.0-slim'), '0.4.0');
  t.equal(versionOfTag('v0.4.0-rc.1-slim'), '0.4.0-rc.1');
  const { run } = await machine(t);
  for (const image of ['images.example.org/vp:slim', 'vp', 'vp:latest', 'vp:0.4.0-slim', 'vp@sha256:00']) {
    await t.rejects(imageStep.check(run({ asked: { image } })), { code: 'IMAGE_TAG_REFUSED' }, image);
  }
  t.match(await imageStep.check(run()), { state: 'done' });
});

/** Runs the steps that come before a registration and that one. */
async function registered(context: OnboardingContext): Promise<string> {
  await configStep.check(context);
  await instanceIdStep.check(context);
  context.found.port ??= 8765;
  if ((await registrationStep.check(context)).state === 'todo') await registrationStep.act?.(context);
  return known(context, 'instanceId');
}

t.test('a free id is taken; one that is taken gets -v1, then -v2; one’s own is repaired', async (t) => {
  const { run, api, warnings, folder } = await machine(t);
  await api.control.instances.create({ instance_id: 'shop' }, { name: 'somebody' });
  t.equal(await registered(run()), 'shop-v1');
  t.match(warnings, [/shop is taken: going on as shop-v1/]);
  t.equal(await registered(run()), 'shop-v1', 'again: it is our own');
  t.equal(await registered(run({ asked: { instanceId: 'shop-v1' } })), 'shop-v1', 'by the name that was printed');
  t.equal(await registered(run({ asked: { instanceId: 'other' } })), 'other');
  await api.control.instances.create({ instance_id: 'till-v1' }, { name: 'somebody' });
  await api.control.instances.create({ instance_id: 'till' }, { name: 'somebody' });
  t.equal(await registered(run({ asked: { instanceId: 'till' } })), 'till-v2');
  t.equal(await registered(run({ asked: { instanceId: undefined } })), 'my-shop', 'from the name of the project');
  const long = 'a-very-long-id-of-shop';
  await api.control.instances.create({ instance_id: long }, { name: 'somebody' });
  t.equal(await registered(run({ asked: { instanceId: long } })), 'a-very-long-id-of-s-v1');
  await t.rejects(registered(run({ asked: { instanceId: 'Shop_1' } })), { code: 'INSTANCE_ID_INVALID' });
  const facts = await readJournal(join(folder, 'home/.local/share/vp/kits/shop-v1'));
  t.match(facts, { facts: { registered: true, asked_id: 'shop', executor_port: 8765 } });
});

t.test('other folders of this machine are another project; an empty kit does not hide the one there is', async (t) => {
  const { run, write, folder, warnings } = await machine(t);
  t.equal(await registered(run()), 'shop');
  t.equal(await registered(run({ asked: { kit: join(folder, 'kit') } })), 'shop');
  t.match(warnings, [/shop is served by the kit .*kits\/shop/]);
  write('other/test/.keep', '');
  const config = readFileSync(join(folder, 'product/platform-config.yaml'), 'utf8');
  write('other/product/platform-config.yaml', config);
  const elsewhere = { productDir: join(folder, 'other/product'), testDir: join(folder, 'other/test') };
  t.equal(await registered(run({ asked: elsewhere })), 'shop-v1');
  rmSync(join(folder, 'product'), { recursive: true });
  t.equal(await registered(run({ asked: { ...elsewhere, instanceId: 'shop' } })), 'shop', 'the first one was moved');
});

t.test('a kit that serves one instance refuses another', async (t) => {
  const { run, folder } = await machine(t);
  const kit = join(folder, 'kit');
  t.equal(await registered(run({ asked: { kit } })), 'shop');
  await t.rejects(registered(run({ asked: { kit, instanceId: 'other' } })), {
    code: 'KIT_SERVES_ANOTHER',
    message: /serves the instance shop, not other/,
  });
  t.equal(await registered(run({ asked: { kit } })), 'shop');
});

t.test('containers of that name that serve another control plane are not run over', async (t) => {
  const other = container({ name: 'x', project: 'platform-inst-shop', service: 'executor' });
  const shop = container({ name: 'shop-app-1', project: 'shop', service: 'app' });
  const { run } = await machine(t, { engine: engineOf([shop, other]) });
  t.equal(await registered(run()), 'shop-v1');
});

t.test('an interrupted registration leaves nothing at the control plane', async (t) => {
  const { run, client } = await machine(t);
  const context = run();
  await registered(context);
  await registrationStep.undo?.(context);
  t.same(await client.instances.list(), []);
  const again = run();
  t.equal(await registered(again), 'shop');
  const repair = run();
  await registered(repair);
  await registrationStep.undo?.(repair);
  t.equal((await client.instances.list()).length, 1, 'one that was there before stays');
});

t.test('a run that was killed right after registering is gone on with; a faster one is not robbed', async (t) => {
  const { run, client, folder } = await machine(t);
  const killed = run();
  await configStep.check(killed);
  await instanceIdStep.check(killed);
  await killed.journal.begin('registration');
  await client.instances.create({ instance_id: 'shop' });
  t.equal(await registered(run()), 'shop');
  const late = run({ asked: { instanceId: 'till' } });
  await configStep.check(late);
  await instanceIdStep.check(late);
  late.found.port = 8765;
  await registrationStep.check(late);
  await late.journal.begin('registration');
  await client.instances.create({ instance_id: 'till' });
  await t.rejects(async () => registrationStep.act?.(late), { code: 'INSTANCE_ID_TAKEN' });
  t.match(await readJournal(join(folder, 'home/.local/share/vp/kits/till')), { in_hand: null });
  t.equal(await registered(run({ asked: { instanceId: 'till' } })), 'till-v1');
});

t.test('without a way from the network nothing is registered', async (t) => {
  const { run, client } = await machine(t);
  const context = run({ asked: { controlPlane: 'http://127.0.0.1:7700' } });
  await configStep.check(context);
  await t.rejects(wayStep.check(context), { code: 'CONTROL_PLANE_NO_WAY', message: /host\.docker\.internal/ });
  t.same(await client.instances.list(), []);
});

t.test('containers that do not start leave the instance registered: exit code 3 and its sentence', async (t) => {
  const { run } = await machine(t);
  const context = run();
  await registered(context);
  const engine: Engine = {
    ...known(context, 'engine'),
    output: async (words) => {
      if (words[0] === 'compose') throw new TypeError('a fault of ours');
      return '';
    },
  };
  context.found.engine = engine;
  const start = async (): Promise<void> => void (await instanceStep.act?.(context));
  await t.rejects(start, { message: 'a fault of ours' });
  const { vpError } = await import('../../src/errors/vp-error.ts');
  context.found.engine = {
    ...engine,
    output: async (words) => {
      if (words[0] !== 'compose') return '';
      throw vpError('ENGINE_COMMAND_FAILED', { command: 'docker compose up', reason: 'no space left on device' });
    },
  };
  await t.rejects(start, {
    code: 'INSTANCE_NOT_STARTED',
    row: { exit: 3 },
    message: /no space left/,
    cure: /do not tear down; wait a few minutes and check Settings → Environments/,
  });
});

t.test('an interrupted start is taken back, unless its containers were there before', async (t) => {
  const { run } = await machine(t);
  const context = run();
  await registered(context);
  const asked: string[] = [];
  const engine = known(context, 'engine');
  context.found.engine = {
    ...engine,
    output: async (words, call) => {
      asked.push(words.join(' '));
      return engine.output(words, call);
    },
  };
  await instanceStep.act?.(context);
  await instanceStep.undo?.(context);
  t.match(asked.at(-1), /^compose --project-name platform-inst-shop down/);
  const there = container({ name: 'x', project: 'platform-inst-shop', service: 'executor' });
  const again = run({ asked: { instanceId: 'shop' } });
  await registered(again);
  again.found.engine = engineOf([there]);
  await instanceStep.act?.(again);
  await t.rejects(async () => instanceStep.undo?.(again), { message: /was there before/ });
});

t.test('another version than the recommended one is warned about, once', async (t) => {
  const { run, warnings } = await machine(t);
  await registered(run({ asked: { image: 'vp:v0.3.9-slim' } }));
  t.same(warnings, ['the image is version 0.3.9, and the control plane recommends 0.4.0']);
});

t.test('PLATFORM_AUTHOR_TOKEN is called deprecated, once', async (t) => {
  const { run, warnings } = await machine(t);
  const context = run();
  const variables = { PLATFORM_AUTHOR_TOKEN: 'vpk_author' };
  const environment = { ...context.ports.environment, variables };
  await signInStep.check({ ...context, ports: { ...context.ports, environment } });
  t.match(warnings, [/PLATFORM_AUTHOR_TOKEN is deprecated/]);
  t.notMatch(warnings, /vpk_author/);
});

t.test('an executor that does not come is waited for, then told with exit code 3', async (t) => {
  const { run } = await machine(t);
  const context = run();
  await registered(context);
  let nowMs = 0;
  const clock = {
    ...context.ports.environment.clock,
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const slow = { ...context, ports: { ...context.ports, environment: { ...context.ports.environment, clock } } };
  t.match(await executorSeenStep.check(slow), { state: 'todo', detail: 'executor NEVER_SEEN' });
  t.match(await executorSeenStep.act?.(slow), { shortfall: { passes: true, cure: /do not tear down/ } });
  t.ok(nowMs >= 60_000);
});

t.test('another process on the router’s port is no router', async (t) => {
  const server = createServer((_, answer) => answer.writeHead(404).end('nothing here'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.teardown(() => server.close());
  const { signal } = new AbortController();
  await t.rejects(countTools(`http://127.0.0.1:${portOf(server)}/mcp`, 'vpr_x', signal), {
    code: 'ROUTER_UNREACHABLE',
  });
  await t.rejects(countTools('http://127.0.0.1:1/mcp', 'vpr_x', signal), { code: 'ROUTER_UNREACHABLE' });
});
