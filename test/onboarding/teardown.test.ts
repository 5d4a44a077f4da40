/** Teardown on a made-up machine: what goes, what stays, and what happens when half of it cannot be done. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { Engine } from '../../src/containers/engine.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { pathsOf } from '../../src/environment/paths.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { type JournalFacts, journalFile, OpenJournal } from '../../src/onboarding/engine/journal.ts';
import { usualKit } from '../../src/onboarding/engine/kit.ts';
import { scrapeKeyFile } from '../../src/onboarding/scrape-key.ts';
import type { TeardownPorts } from '../../src/onboarding/teardown/context.ts';
import { teardown, teardownSteps, teardownText } from '../../src/onboarding/teardown/teardown.ts';
import { clientOf } from '../client/client-of.ts';
import { workspace } from '../commands/workspace.ts';
import { served } from '../server/served.ts';
import { engineOf } from './onboarding-context.ts';
import { container } from './preflight/machine.ts';

const own = [
  container({ name: 'platform-inst-shop-executor-1', project: 'platform-inst-shop', service: 'executor' }),
  container({ name: 'platform-router', project: 'platform-router', service: 'router' }),
  container({ name: 'platform-obs-prometheus-1', project: 'platform-obs', service: 'prometheus' }),
];

async function house(t: Test, engine: Engine = engineOf(own)) {
  const folder = mkdtempSync(join(tmpdir(), 'vp-teardown-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const paths = pathsOf({}, 'linux', folder);
  const kit = usualKit(paths, 'shop');
  const api = await served(t);
  const client = clientOf(api);
  await client.instances.create({ instance_id: 'shop' });
  const journal = new OpenJournal({ clock: systemClock, random: systemRandom });
  const facts: JournalFacts = {
    ...{ instance_id: 'shop', asked_id: 'shop', control_plane: client.transport.baseUrl, image: 'vp:v0.4.0-slim' },
    ...{ product_dir: join(folder, 'product'), test_dir: join(folder, 'test') },
    ...{ compose_project: 'shop', network: 'shop', registered: true },
  };
  journal.settle(kit, facts, undefined);
  await journal.begin('registration');
  await journal.finish('registration', 'registered');
  const write = (file: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'x\n');
  };
  for (const file of ['machine.key', 'compose/compose.yaml']) write(join(kit, file));
  write(scrapeKeyFile(paths));
  const forgotten: string[] = [];
  const ports: TeardownPorts = {
    environment: { clock: systemClock, random: systemRandom, paths, variables: {}, platform: 'linux' },
    engine: async () => engine,
    connect: async () => client,
    forgetScenarios: (instance) => void forgotten.push(instance),
  };
  const run = (more: Partial<TeardownPorts> = {}, signal = new AbortController().signal, noSignIn = true) => {
    const asked = { instanceId: 'shop', controlPlane: client.transport.baseUrl, kit, noSignIn };
    return teardown({ asked, ports: { ...ports, ...more }, tell: () => undefined, signal });
  };
  return { run, kit, paths, client, forgotten };
}

t.test('everything goes but the dashboard and the transcript', async (t) => {
  const { run, kit, paths, client, forgotten } = await house(t);
  const result = await run();
  t.match(result, { outcome: 'REMOVED', exit_code: 0, remains: [] });
  t.same(await client.instances.list(), []);
  t.notOk(existsSync(kit));
  t.notOk(existsSync(dirname(scrapeKeyFile(paths))));
  t.same(forgotten, ['shop']);
  const text = teardownText(result);
  t.match(text, /removed {2}container platform-inst-shop-executor-1/);
  t.match(text, /removed {2}container platform-router/);
  t.match(text, /kept {5}platform-obs .*docker compose --project-name platform-obs down --volumes/);
  t.match(text, /kept {5}.*shop\.log: the transcript/);
  t.match(readFileSync(result.transcript, 'utf8'), /REMOVED/);
});

t.test('while another instance is there, what they share stays', async (t) => {
  const other = container({ name: 'o', project: 'platform-inst-other', service: 'executor' });
  const { run, paths } = await house(t, engineOf([...own, other]));
  const result = await run();
  t.match(teardownText(result), /kept {5}platform-router and platform-obs: they serve other/);
  t.ok(existsSync(scrapeKeyFile(paths)));
  t.notMatch(result.removed.join(), /platform-router/);
});

t.test('a control plane that is away keeps nothing else from going, and what it needs stays', async (t) => {
  const { run, kit } = await house(t);
  const connect = async () =>
    Promise.reject(vpError('CONTROL_PLANE_UNREACHABLE', { url: 'http://localhost:7700', problem: 'nothing answers' }));
  const result = await run({ connect });
  t.match(result, { outcome: 'PARTIALLY REMOVED', exit_code: 1 });
  t.match(result.remains, [
    { reason: /remain/, cure: /vp teardown --tier compose --instance-id shop .* --no-sign-in/ },
  ]);
  t.match(result.removed.join(), /platform-inst-shop-executor-1/);
  t.ok(existsSync(journalFile(kit)));
  t.ok(existsSync(join(kit, 'machine.key')));
  t.notOk(existsSync(join(kit, 'compose')));
  t.match(await run(), { outcome: 'REMOVED', exit_code: 0 }, 'again, when it is back');
  t.notOk(existsSync(kit));
});

t.test('an engine that is away keeps nothing else from going', async (t) => {
  const { run, client } = await house(t);
  const result = await run({ engine: async () => Promise.reject(vpError('ENGINE_STOPPED', { reason: 'no socket' })) });
  t.match(result, { outcome: 'PARTIALLY REMOVED', exit_code: 1 });
  t.match(result.remains, [{ reason: /containers and volumes of the executor: .*no socket/ }, { reason: /router/ }]);
  t.same(await client.instances.list(), []);
});

t.test('an interruption at any step can be gone on with', async (t) => {
  for (const { id } of teardownSteps.slice(1)) {
    const { run, kit } = await house(t);
    const controller = new AbortController();
    const asked: string[] = [];
    const engine = engineOf(own);
    const result = await run(
      {
        engine: async () => {
          asked.push('engine');
          if (id === 'shared' && asked.length > 2) controller.abort(new Error('interrupted'));
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

t.test('a second teardown has nothing to do', async (t) => {
  const { run } = await house(t, engineOf([]));
  await run();
  const again = await run();
  t.match(again, { outcome: 'REMOVED', exit_code: 0, removed: [] });
  t.match(teardownText(again), /nothing was left to remove/);
});

t.test('the command says what it lacks', async (t) => {
  const { vp, write } = workspace(t, 'http://127.0.0.1:1');
  t.match(await vp(['teardown']), { code: 2, stderr: /TEARDOWN_NAME_MISSING/ });
  const facts: JournalFacts = {
    ...{ instance_id: 'shop', asked_id: 'shop', control_plane: 'http://127.0.0.1:1', image: 'vp:v0.4.0-slim' },
    ...{ product_dir: '/none', test_dir: '/none', compose_project: 'shop', network: 'shop', registered: true },
  };
  write('kit/journal.json', JSON.stringify({ version: 1, facts, in_hand: null, finished: [] }));
  const other = await vp(['teardown', '--kit', 'kit', '--instance-id', 'other']);
  t.match(other, { code: 2, stderr: /KIT_SERVES_ANOTHER/ });
  const keyless = await vp(['teardown', '--kit', 'kit', '--no-sign-in', '--control-plane', 'http://127.0.0.1:1'], {
    variables: { PATH: '/nowhere' },
  });
  t.match(keyless, { code: 1, stdout: /this machine has no machine key for shop/ }, 'MACHINE_KEY_ABSENT');
});
