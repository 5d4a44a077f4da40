import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createClient } from '../../src/client/client.ts';
import { executorPort } from '../../src/client/executor-port.ts';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import { makeRoot } from '../targets/certificates.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { type Started, scenarioText, target, type Workspace, workspace } from './workspace.ts';

/** What `vp serve --json` or `vp executor --json` says once it listens. */
type Listening = {
  readonly url: string;
  readonly listens_on?: string;
  readonly data: string;
  readonly owner_key_file: string;
};

async function listening(started: Started): Promise<Listening> {
  while (!started.written.stdout.includes('\n')) {
    const ended = await Promise.race([started.ended, new Promise((resolve) => setTimeout(resolve, 10, undefined))]);
    if (ended !== undefined) throw new Error(`ended with ${ended}: ${started.written.stdout}${started.written.stderr}`);
  }
  return JSON.parse(started.written.stdout.split('\n')[0] ?? '');
}

async function serving(t: Test, house: Workspace, more: readonly string[] = []) {
  const data = join(house.folder, 'data');
  const serve = house.start(['serve', '--json', '--port', '0', '--data', data, ...more]);
  t.teardown(() => {
    serve.interrupt();
    return serve.ended;
  });
  const told = await listening(serve);
  const token = readFileSync(told.owner_key_file, 'utf8').trim();
  return { serve, told, data, client: createClient({ baseUrl: told.url, token, fetch }) };
}

const nowhere = 'http://127.0.0.1:1';

t.test('serve tells where it listens, is ready, and ends with 0 when asked', async (t) => {
  const house = workspace(t, nowhere);
  const { serve, told, client, data } = await serving(t, house);
  t.equal((await fetch(`${told.url}/readyz`)).status, 200);
  t.same(await client.instances.list(), []);
  t.ok(existsSync(join(data, 'control.db')));
  serve.interrupt();
  t.equal(await serve.ended, 0);
  await t.rejects(fetch(`${told.url}/readyz`));
});

t.test('commands of the same user find the owner key by themselves', async (t) => {
  const house = workspace(t, nowhere);
  const { told, serve } = await serving(t, house);
  const { code } = await house.vp(['instances', '--control-plane', told.url]);
  t.equal(code, 0);
  const credentials = join(house.paths.config, 'credentials');
  t.equal(readdirSync(credentials).length, 1);
  serve.interrupt();
  await serve.ended;
  t.same(readdirSync(credentials), [], 'a free port is forgotten');
});

t.test('a second control plane on the same folder is refused and names the first', async (t) => {
  const house = workspace(t, nowhere);
  const { data } = await serving(t, house);
  const { code, stderr } = await house.vp(['serve', '--port', '0', '--data', data]);
  t.equal(code, 3);
  t.match(stderr, /is in use by another vp/);
  t.match(stderr, String(process.pid));
});

t.test('an address that is not loopback is refused over plain http: SERVE_INSECURE', async (t) => {
  const house = workspace(t, nowhere);
  for (const args of [
    ['--host', '0.0.0.0'],
    ['--public-url', 'http://vp.example.com'],
    ['--host', '0.0.0.0', '--public-url', 'http://localhost:7810'],
    ['--host', '::', '--public-url', 'http://[::1]:7810'],
  ]) {
    const { code, stdout } = await house.vp(['serve', '--json', '--port', '0', ...args]);
    t.equal(code, 2);
    t.match(JSON.parse(stdout), { error: { code: 'SERVE_INSECURE' } });
  }
  const { code, stdout } = await house.vp(['serve', '--json', '--public-url', 'rubbish']);
  t.equal(code, 2);
  t.match(JSON.parse(stdout), { error: { code: 'FLAG_INVALID' } });
});

t.test('it tells what it is reached by and what it listens on', async (t) => {
  const house = workspace(t, nowhere);
  const data = join(house.folder, 'data');
  const open = ['--host', '0.0.0.0', '--public-url', 'https://vp.example.com'];
  const serve = house.start(['serve', '--port', '0', '--data', data, ...open]);
  while (!serve.written.stdout.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 10));
  t.match(
    serve.written.stdout,
    /address +https:\/\/vp\.example\.com\n.*http:\/\/127\.0\.0\.1:\d+\n +listens +0\.0\.0\.0:[1-9]\d*\n/,
  );
  serve.interrupt();
  t.equal(await serve.ended, 0);
  const { told } = await serving(t, house, ['--public-url', 'http://[::1]:7810']);
  t.match(told, { listens_on: told.url.replace('http://', ''), public_url: 'http://[::1]:7810' });
});

t.test('an executor listens for other machines only when told that it may: EXECUTOR_EXPOSED', async (t) => {
  const house = workspace(t, nowhere);
  const line = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--host', '0.0.0.0'];
  const { code, stdout } = await house.vp(line);
  t.equal(code, 2);
  t.match(JSON.parse(stdout), {
    error: { code: 'EXECUTOR_EXPOSED', message: /0\.0\.0\.0:0/, cure: /container network/ },
  });
  const variables = { VP_EXECUTOR_KEY: 'vpe_x' };
  const allowed = house.start([...line, '--allow-insecure', '--control-plane', nowhere], { variables });
  t.match(await listening(allowed), { url: /^http:\/\/127\.0\.0\.1:\d+$/ });
  allowed.interrupt();
  t.equal(await allowed.ended, 0);
});

t.test('the length of a lease is what was said at the start', async (t) => {
  const { told, client } = await serving(t, workspace(t, nowhere), ['--lease-seconds', '7']);
  const { executor_key: token } = await client.instances.create({ instance_id: 'shop' });
  const port = executorPort(createClient({ baseUrl: told.url, token, fetch }));
  const greeting = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  t.match(await port.hello(greeting), { lease_ms: 7000 });
});

t.test('numbers that make no sense are refused before anything is touched', async (t) => {
  const house = workspace(t, nowhere);
  const audit = ['--keep-audit=0', '--keep-arguments=-1', '--audit-mib=15'];
  const wrong = [
    ...audit,
    '--lease-seconds=4',
    '--keep-reports=-1',
    '--keep-bodies=0',
    '--keep-mib=0',
    '--keep-mib=1.5',
    '--port=99999',
    '--port=-1',
  ];
  for (const flag of wrong) {
    const { code, stdout } = await house.vp(['serve', '--json', '--data', join(house.folder, 'data'), flag]);
    t.equal(code, 2, flag);
    t.match(JSON.parse(stdout), { error: { code: 'FLAG_INVALID', message: /must be a whole number from/ } }, flag);
  }
  t.notOk(existsSync(join(house.folder, 'data')));
  t.equal((await house.vp(['executor', '--port', '65536'])).code, 2);
});

t.test('embedded, it imports the scenarios, tells which were refused, and runs them', async (t) => {
  const app = await target(t, json({ data: [] }));
  const house = workspace(t, app.origin, {
    'test/scenarios/good.md': scenarioText('RT-good', { checks: ['status=200', 'body has data'] }),
    'test/scenarios/bad.md': scenarioText('RT-bad', { checks: ['status=2000'] }),
  });
  const dirs = ['--product-dir', 'product', '--test-dir', 'test'];
  const { client, serve } = await serving(t, house, ['--embedded', ...dirs]);
  t.match(await client.instances.list(), [{ instance_id: 'shop', executor_status: 'REGISTERED', tier: 'embedded' }]);
  const [run] = await client.runs.request('shop', { scenarios: [{ id: 'RT-good' }] });
  t.match(await waitForRun(client, run?.run_id ?? ''), { state: 'passed' });
  serve.interrupt();
  t.equal(await serve.ended, 0);
});

t.test('embedded in words: imported n of m, each refused file with its reason', async (t) => {
  const app = await target(t, json({ data: [] }));
  const house = workspace(t, app.origin, {
    'test/scenarios/good.md': scenarioText('RT-good'),
    'test/scenarios/bad.md': scenarioText('RT-bad', { checks: ['status=2000'] }),
  });
  const dirs = ['--product-dir', 'product', '--test-dir', 'test'];
  const serve = house.start(['serve', '--port', '0', '--data', join(house.folder, 'd'), '--embedded', ...dirs]);
  while (!serve.written.stdout.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 10));
  t.match(serve.written.stdout, 'imported 1 of 2 scenarios');
  t.match(serve.written.stdout, /bad\.md: .*the first in line/);
  serve.interrupt();
  t.equal(await serve.ended, 0);
});

t.test('embedded with a router, agents find the executor behind it, and end with it', async (t) => {
  const app = await target(t, json({ data: [] }));
  const house = workspace(t, app.origin);
  const roles = ['--embedded', '--product-dir', 'product', '--instance', 'shop', '--router-port', '0'];
  const data = join(house.folder, 'd');
  const serve = house.start(['serve', '--port', '0', '--data', data, ...roles]);
  while (!serve.written.stdout.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 10));
  const url = (name: string) => new RegExp(`${name} +(http://[^\\s]+)`).exec(serve.written.stdout)?.[1] ?? '';
  const client = createClient({
    baseUrl: url('address'),
    token: readFileSync(join(data, 'owner.key'), 'utf8').trim(),
    fetch,
  });
  const { token } = await client.agentTokens.make('shop', { role: 'product' });
  const ask = (bearer: string) =>
    fetch(url('agents'), {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${bearer}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
  const listed = await (await ask(token)).text();
  t.equal(new Set(listed.match(/product__[a-z_]+/g)).size, 6, listed.slice(0, 300));
  const refused = await ask(`${token}x`);
  t.equal(refused.status, 401);
  t.match(await refused.text(), 'unrecognized router token');
  serve.interrupt();
  t.equal(await serve.ended, 0);
  await t.rejects(ask(token), 'nothing is left listening');
});

t.test('embedded, it ends and says why when another executor takes over', async (t) => {
  const house = workspace(t, nowhere);
  const { client, serve, told } = await serving(t, house, ['--embedded', '--product-dir', 'product']);
  const { executor_key: key } = await client.instances.rotateKey('shop');
  const line = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--control-plane', told.url];
  const other = house.start([...line, '--data', join(house.folder, 'other')], { variables: { VP_EXECUTOR_KEY: key } });
  t.equal(await serve.ended, 4);
  t.match(serve.written.stdout, '"EXECUTOR_ENDED_SUPERSEDED"');
  await t.rejects(fetch(`${told.url}/readyz`), 'the control plane is closed in order');
  other.interrupt();
  t.equal(await other.ended, 0);
});

t.test('embedded, it trusts the roots it is given for the target', async (t) => {
  const root = makeRoot(t.testdir());
  const app = await httpTarget(json({ data: [] }), root.leaf('localhost'));
  t.teardown(() => app.close());
  const house = workspace(t, app.origin, { 'test/good.md': scenarioText('RT-good') });
  const roles = ['--embedded', '--product-dir', 'product', '--test-dir', 'test'];
  t.match(await house.vp(['serve', '--port', '0', ...roles, '--ca', 'none.pem']), {
    code: 2,
    stderr: 'EXECUTOR_CA_UNREADABLE',
  });
  house.write('root.pem', root.cert);
  const { client } = await serving(t, house, [...roles, '--ca', 'root.pem']);
  const [run] = await client.runs.request('shop', { scenarios: [{ id: 'RT-good' }] });
  t.match(await waitForRun(client, run?.run_id ?? ''), { state: 'passed' });
});

t.test('an executor serves its instance over HTTP, tells its port, and ends with 0', async (t) => {
  const app = await target(t, json({ data: [] }));
  const house = workspace(t, app.origin);
  const { client, told } = await serving(t, house);
  const { executor_key: key } = await client.instances.create({ instance_id: 'shop' });
  await client.scenarios.write('shop', 'RT-good', { text: scenarioText('RT-good') });
  const args = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--control-plane', told.url];
  const variables = { VP_EXECUTOR_KEY: key };
  const executor = house.start([...args, '--data', join(house.folder, 'executor')], { variables });
  await listening(executor);
  const said = async (text: string): Promise<void> => {
    while (!executor.written.stdout.includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await said('{"event":"registered","instance":"shop","control_plane_version":"');
  t.equal(executor.written.stderr, '', 'nothing to complain of');
  const [run] = await client.runs.request('shop', { scenarios: [{ id: 'RT-good' }] });
  t.match(await waitForRun(client, run?.run_id ?? ''), { state: 'passed', report: { instance: 'shop' } });
  const keys = join(house.paths.config, 'direct');
  t.same(readdirSync(keys), [`${new URL((await listening(executor)).url).port}.key`], 'a key for direct runs');
  executor.interrupt();
  t.equal(await executor.ended, 0);
  t.same(readdirSync(keys), [], 'goes with it');
});

t.test('an executor says once that its control plane is away and what to do, and goes on trying', async (t) => {
  const house = workspace(t, nowhere);
  const first = await serving(t, house, ['--public-url', 'http://localhost:7810']);
  const { executor_key: key } = await first.client.instances.create({ instance_id: 'shop' });
  first.serve.interrupt();
  await first.serve.ended;
  const port = new URL(first.told.url).port;
  const line = ['executor', '--port', '0', '--product-dir', 'product', '--control-plane', first.told.url];
  const variables = { VP_EXECUTOR_KEY: key };
  const executor = house.start([...line, '--data', join(house.folder, 'executor')], { variables });
  const has = async (stream: 'stdout' | 'stderr', text: string): Promise<void> => {
    while (!executor.written[stream].includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await has('stderr', 'trying again');
  t.match(
    executor.written.stderr,
    /"problem":"the control plane at .* cannot be reached: .*"cure":"start it with `vp serve`/,
  );
  const again = house.start(['serve', '--port', port, '--data', first.data]);
  await has('stdout', 'registered as shop\n');
  t.equal(executor.written.stderr.split('cannot be reached').length, 2, 'once');
  for (const role of [executor, again]) {
    role.interrupt();
    t.equal(await role.ended, 0);
  }
});

t.test('an executor without a key is told how to get one: EXECUTOR_KEY_ABSENT', async (t) => {
  const house = workspace(t, nowhere);
  const { code, stdout } = await house.vp(['executor', '--json', '--product-dir', 'product']);
  t.equal(code, 2);
  t.match(JSON.parse(stdout), { error: { code: 'EXECUTOR_KEY_ABSENT', cure: /vp instances create/ } });
});

t.test('the earlier of two executors ends and says why: EXECUTOR_ENDED_SUPERSEDED', async (t) => {
  const house = workspace(t, nowhere);
  const { client, told } = await serving(t, house);
  const { executor_key: key } = await client.instances.create({ instance_id: 'shop' });
  const start = (name: string): Started => {
    const args = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--control-plane', told.url];
    return house.start([...args, '--data', join(house.folder, name)], { variables: { VP_EXECUTOR_KEY: key } });
  };
  const first = start('one');
  await listening(first);
  while ((await client.instances.get('shop')).executor_status !== 'REGISTERED');
  const second = start('two');
  await listening(second);
  t.equal(await first.ended, 4);
  t.match(JSON.parse(first.written.stdout.trim().split('\n').at(-1) ?? ''), {
    error: { code: 'EXECUTOR_ENDED_SUPERSEDED' },
  });
  second.interrupt();
  t.equal(await second.ended, 0);
});

t.test('backup and restore bring a control plane back', async (t) => {
  const house = workspace(t, nowhere);
  const { client, serve, data } = await serving(t, house);
  await client.instances.create({ instance_id: 'shop' });
  const backup = await house.vp(['backup', 'copy.db', '--data', data, '--json']);
  t.equal(backup.code, 0);
  t.ok(existsSync(JSON.parse(backup.stdout).file));
  await client.instances.remove('shop');
  t.equal((await house.vp(['restore', 'copy.db', '--data', data])).code, 3, 'not while it is in use');
  serve.interrupt();
  await serve.ended;
  const restored = await house.vp(['restore', 'copy.db', '--data', data]);
  t.equal(restored.code, 0);
  t.match(restored.stdout, /is kept as/);
  const { client: again } = await serving(t, house);
  t.match(await again.instances.list(), [{ instance_id: 'shop' }]);
});
