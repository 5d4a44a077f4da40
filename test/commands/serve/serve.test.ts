import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createClient } from '../../../src/client/client.ts';
import { createHttpControlPort } from '../../../src/client/executor-port.ts';
import { waitForRun } from '../../../src/client/wait-for-run.ts';
import { lockFolder } from '../../../src/store/engine.ts';
import { eventually } from '../../eventually.ts';
import { createRootCertificate } from '../../targets/certificates.ts';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createWorkspace, type RunningCommand, scenarioText, startTarget, type Workspace } from '../test-workspace.ts';

/** What `vp serve --json` or `vp executor --json` prints once it listens. */
type StartedDocument = {
  readonly url: string;
  readonly listens_on?: string;
  readonly data: string;
  readonly owner_key_file: string;
};

async function waitForListening(started: RunningCommand): Promise<StartedDocument> {
  const output = eventually(() => started.written.stdout, {
    until: (text) => text.includes('\n'),
    description: 'the first line',
  });
  const exitCode = await Promise.race([started.ended, output.then(() => undefined)]);
  if (exitCode !== undefined)
    throw new Error(`ended with ${exitCode}: ${started.written.stdout}${started.written.stderr}`);
  return JSON.parse(started.written.stdout.split('\n')[0] ?? '');
}

async function startServe(t: Test, testWorkspace: Workspace, more: readonly string[] = []) {
  const data = join(testWorkspace.folder, 'data');
  const serve = testWorkspace.start(['serve', '--json', '--port', '0', '--data', data, ...more]);
  t.teardown(() => {
    serve.interrupt();
    return serve.ended;
  });
  const started = await waitForListening(serve);
  const token = readFileSync(started.owner_key_file, 'utf8').trim();
  return { serve, started, data, client: createClient({ baseUrl: started.url, token, fetch }) };
}

const nowhere = 'http://127.0.0.1:1';

t.test('serve prints its address, is ready, and exits with 0 on an interrupt', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { serve, started, client, data } = await startServe(t, testWorkspace);
  t.equal((await fetch(`${started.url}/readyz`)).status, 200);
  t.same(await client.instances.list(), []);
  t.ok(existsSync(join(data, 'control.db')));
  serve.interrupt();
  t.equal(await serve.ended, 0);
  await t.rejects(fetch(`${started.url}/readyz`));
});

t.test('commands of the same user use the owner key automatically', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { started, serve } = await startServe(t, testWorkspace);
  const { code } = await testWorkspace.vp(['instances', '--control-plane', started.url]);
  t.equal(code, 0);
  const credentials = join(testWorkspace.paths.config, 'credentials');
  t.equal(readdirSync(credentials).length, 1);
  serve.interrupt();
  await serve.ended;
  t.same(readdirSync(credentials), [], 'a free port is forgotten');
});

t.test('a second control plane on the same folder is refused and names the first', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { data } = await startServe(t, testWorkspace);
  const { code, stderr } = await testWorkspace.vp(['serve', '--port', '0', '--data', data]);
  t.equal(code, 3);
  t.match(stderr, /is in use by another vp/);
  t.match(stderr, String(process.pid));
});

t.test('it waits for a command that has the lock of the folder, and says so', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const data = join(testWorkspace.folder, 'data');
  const lock = lockFolder(data, 'control', process.pid);
  const serve = testWorkspace.start(['serve', '--json', '--port', '0', '--data', data]);
  await eventually(() => serve.written.stderr, {
    until: (text) => text.includes(`(process ${process.pid}): waiting until it ends`),
    description: 'the message',
  });
  lock.release();
  t.match(await waitForListening(serve), { data });
  serve.interrupt();
  t.equal(await serve.ended, 0);
});

t.test('an address that is not loopback is refused over plain http: SERVE_INSECURE', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  for (const args of [
    ['--host', '0.0.0.0'],
    ['--public-url', 'http://vp.example.com'],
    ['--host', '0.0.0.0', '--public-url', 'http://localhost:7810'],
    ['--host', '::', '--public-url', 'http://[::1]:7810'],
  ]) {
    const { code, stdout } = await testWorkspace.vp(['serve', '--json', '--port', '0', ...args]);
    t.equal(code, 2);
    t.match(JSON.parse(stdout), { error: { code: 'SERVE_INSECURE' } });
  }
  const { code, stdout } = await testWorkspace.vp(['serve', '--json', '--public-url', 'rubbish']);
  t.equal(code, 2);
  t.match(JSON.parse(stdout), { error: { code: 'FLAG_INVALID' } });
});

t.test('it prints its public and its listen address', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const data = join(testWorkspace.folder, 'data');
  const open = ['--host', '0.0.0.0', '--public-url', 'https://vp.example.com'];
  const serve = testWorkspace.start(['serve', '--port', '0', '--data', data, ...open]);
  await eventually(() => serve.written.stdout, { until: (text) => text.includes('Ctrl-C') });
  t.match(
    serve.written.stdout,
    /address +https:\/\/vp\.example\.com\n.*http:\/\/127\.0\.0\.1:\d+\n +listens +0\.0\.0\.0:[1-9]\d*\n/,
  );
  serve.interrupt();
  t.equal(await serve.ended, 0);
  const { started } = await startServe(t, testWorkspace, ['--public-url', 'http://[::1]:7810']);
  t.match(started, { listens_on: started.url.replace('http://', ''), public_url: 'http://[::1]:7810' });
});

t.test('an executor listens for other machines only with --allow-insecure: EXECUTOR_EXPOSED', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const line = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--host', '0.0.0.0'];
  const { code, stdout } = await testWorkspace.vp(line);
  t.equal(code, 2);
  t.match(JSON.parse(stdout), {
    error: { code: 'EXECUTOR_EXPOSED', message: /0\.0\.0\.0:0/, cure: /container network/ },
  });
  const variables = { VP_EXECUTOR_KEY: 'vpe_x' };
  const allowed = testWorkspace.start([...line, '--allow-insecure', '--control-plane', nowhere], { variables });
  t.match(await waitForListening(allowed), { url: /^http:\/\/127\.0\.0\.1:\d+$/ });
  allowed.interrupt();
  t.equal(await allowed.ended, 0);
});

t.test('the lease duration is configurable', async (t) => {
  const { started, client } = await startServe(t, createWorkspace(t, nowhere), ['--lease-seconds', '7']);
  const { executor_key: token } = await client.instances.create({ instance_id: 'shop' });
  const port = createHttpControlPort(createClient({ baseUrl: started.url, token, fetch }));
  const greeting = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
  t.match(await port.hello(greeting), { lease_ms: 7000 });
});

t.test('invalid numbers are refused before anything is changed', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
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
    const { code, stdout } = await testWorkspace.vp([
      'serve',
      '--json',
      '--data',
      join(testWorkspace.folder, 'data'),
      flag,
    ]);
    t.equal(code, 2, flag);
    t.match(JSON.parse(stdout), { error: { code: 'FLAG_INVALID', message: /must be a whole number from/ } }, flag);
  }
  t.notOk(existsSync(join(testWorkspace.folder, 'data')));
  t.equal((await testWorkspace.vp(['executor', '--port', '65536'])).code, 2);
});

t.test('embedded, it imports the scenarios and runs them', async (t) => {
  const app = await startTarget(t, respondWithJson({ data: [] }));
  const testWorkspace = createWorkspace(t, app.origin, {
    'test/scenarios/good.md': scenarioText('RT-good', { checks: ['status=200', 'body has data'] }),
    'test/scenarios/bad.md': scenarioText('RT-bad', { checks: ['status=2000'] }),
  });
  const dirs = ['--product-dir', 'product', '--test-dir', 'test'];
  const { client, serve } = await startServe(t, testWorkspace, ['--embedded', ...dirs]);
  t.match(await client.instances.list(), [{ instance_id: 'shop', executor_status: 'REGISTERED', tier: 'embedded' }]);
  const [run] = await client.runs.request('shop', { scenarios: [{ id: 'RT-good' }] });
  t.match(await waitForRun(client, run?.run_id ?? ''), { state: 'passed' });
  serve.interrupt();
  t.equal(await serve.ended, 0);
});

t.test('embedded as text: imported n of m, each refused file with its reason', async (t) => {
  const app = await startTarget(t, respondWithJson({ data: [] }));
  const testWorkspace = createWorkspace(t, app.origin, {
    'test/scenarios/good.md': scenarioText('RT-good'),
    'test/scenarios/bad.md': scenarioText('RT-bad', { checks: ['status=2000'] }),
  });
  const dirs = ['--product-dir', 'product', '--test-dir', 'test'];
  const serve = testWorkspace.start([
    'serve',
    '--port',
    '0',
    '--data',
    join(testWorkspace.folder, 'd'),
    '--embedded',
    ...dirs,
  ]);
  await eventually(() => serve.written.stdout, { until: (text) => text.includes('Ctrl-C') });
  t.match(serve.written.stdout, 'imported 1 of 2 scenarios');
  t.match(serve.written.stdout, /bad\.md: .*the first in line/);
  serve.interrupt();
  t.equal(await serve.ended, 0);
});

t.test(
  'embedded, a restart keeps edits of the catalogue, and says where folder and catalogue both changed',
  async (t) => {
    const app = await startTarget(t, respondWithJson({ data: [] }));
    const testWorkspace = createWorkspace(t, app.origin, {
      'test/scenarios/one.md': scenarioText('RT-one'),
      'test/scenarios/two.md': scenarioText('RT-two'),
      'test/scenarios/three.md': scenarioText('RT-three'),
    });
    const data = join(testWorkspace.folder, 'd');
    const start = async () => {
      const dirs = ['--product-dir', 'product', '--test-dir', 'test'];
      const serve = testWorkspace.start(['serve', '--port', '0', '--data', data, '--embedded', ...dirs]);
      await eventually(() => serve.written.stdout, { until: (text) => text.includes('Ctrl-C') });
      const baseUrl = /address +(http:\S+)/.exec(serve.written.stdout)?.[1] ?? '';
      const client = createClient({ baseUrl, token: readFileSync(join(data, 'owner.key'), 'utf8').trim(), fetch });
      const stop = async () => {
        serve.interrupt();
        t.equal(await serve.ended, 0);
      };
      return { client, stdout: serve.written.stdout, baseUrl, stop };
    };
    const edited = (id: string) => scenarioText(id, { checks: ['status=200', 'body has data'] });
    const first = await start();
    t.match(first.stdout, 'imported 3 of 3 scenarios\n');
    await first.client.scenarios.write('shop', 'RT-one', { text: edited('RT-one') });
    await first.client.scenarios.write('shop', 'RT-two', { text: edited('RT-two') });
    await first.client.scenarios.remove('shop', 'RT-three');
    await first.stop();

    testWorkspace.write('test/scenarios/two.md', scenarioText('RT-two', { tags: 'mine' }));
    const second = await start();
    t.match(
      second.stdout,
      'imported 0 of 3 scenarios, 2 kept as edited in the catalogue, 1 NOT imported: changed in the folder and in the catalogue',
    );
    t.match(second.stdout, /two\.md: the catalogue has revision 2 by owner, and this file is based on revision 1/);
    t.match(second.stdout, /three\.md: it was deleted from the catalogue at revision 1 by owner/);
    t.match(await second.client.scenarios.listAll('shop'), [{ scenario_id: 'RT-one', revision: 2 }, { revision: 2 }]);
    const push = /`vp (scenarios push [^`]* --keep)`/.exec(second.stdout)?.[1] ?? '';
    const variables = { VP_TOKEN: readFileSync(join(data, 'owner.key'), 'utf8').trim() };
    t.match(await testWorkspace.vp(push.split(' '), { variables }), { code: 0 }, 'the suggested command works');
    await second.stop();
    const third = await start();
    t.match(third.stdout, 'imported 0 of 3 scenarios, 3 kept as edited in the catalogue\n');
    await third.stop();
  },
);

t.test('embedded with a router, agents reach the executor through it until it stops', async (t) => {
  const app = await startTarget(t, respondWithJson({ data: [] }));
  const testWorkspace = createWorkspace(t, app.origin);
  const roles = ['--embedded', '--product-dir', 'product', '--instance', 'shop', '--router-port', '0'];
  const data = join(testWorkspace.folder, 'd');
  const serve = testWorkspace.start(['serve', '--port', '0', '--data', data, ...roles]);
  await eventually(() => serve.written.stdout, { until: (text) => text.includes('Ctrl-C') });
  const url = (name: string) => new RegExp(`${name} +(http://[^\\s]+)`).exec(serve.written.stdout)?.[1] ?? '';
  const client = createClient({
    baseUrl: url('address'),
    token: readFileSync(join(data, 'owner.key'), 'utf8').trim(),
    fetch,
  });
  const { token } = await client.agentTokens.create('shop', { role: 'product' });
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

t.test('embedded, it exits with the reason when another executor takes over', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { client, serve, started } = await startServe(t, testWorkspace, ['--embedded', '--product-dir', 'product']);
  const { executor_key: key } = await client.instances.rotateKey('shop');
  const line = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--control-plane', started.url];
  const other = testWorkspace.start([...line, '--data', join(testWorkspace.folder, 'other')], {
    variables: { VP_EXECUTOR_KEY: key },
  });
  t.equal(await serve.ended, 4);
  t.match(serve.written.stdout, '"EXECUTOR_ENDED_SUPERSEDED"');
  await t.rejects(fetch(`${started.url}/readyz`), 'the control plane is closed in order');
  other.interrupt();
  t.equal(await other.ended, 0);
});

t.test('embedded, it trusts the given CA certificates for the target', async (t) => {
  const root = createRootCertificate(t.testdir());
  const app = await startHttpTarget(respondWithJson({ data: [] }), root.leaf('localhost'));
  t.teardown(() => app.close());
  const testWorkspace = createWorkspace(t, app.origin, { 'test/good.md': scenarioText('RT-good') });
  const roles = ['--embedded', '--product-dir', 'product', '--test-dir', 'test'];
  t.match(await testWorkspace.vp(['serve', '--port', '0', ...roles, '--ca', 'none.pem']), {
    code: 2,
    stderr: 'EXECUTOR_CA_UNREADABLE',
  });
  testWorkspace.write('root.pem', root.cert);
  const { client } = await startServe(t, testWorkspace, [...roles, '--ca', 'root.pem']);
  const [run] = await client.runs.request('shop', { scenarios: [{ id: 'RT-good' }] });
  t.match(await waitForRun(client, run?.run_id ?? ''), { state: 'passed' });
});

t.test('an executor serves its instance over HTTP, prints its port, and exits with 0', async (t) => {
  const app = await startTarget(t, respondWithJson({ data: [] }));
  const testWorkspace = createWorkspace(t, app.origin);
  const { client, started } = await startServe(t, testWorkspace);
  const { executor_key: key } = await client.instances.create({ instance_id: 'shop' });
  await client.scenarios.write('shop', 'RT-good', { text: scenarioText('RT-good') });
  const args = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--control-plane', started.url];
  const variables = { VP_EXECUTOR_KEY: key };
  const executor = testWorkspace.start([...args, '--data', join(testWorkspace.folder, 'executor')], { variables });
  await waitForListening(executor);
  const waitForOutput = async (text: string): Promise<void> => {
    await eventually(() => executor.written.stdout, { until: (output) => output.includes(text), description: text });
  };
  await waitForOutput('{"event":"registered","instance":"shop","control_plane_version":"');
  t.equal(executor.written.stderr, '', 'nothing to complain of');
  const [run] = await client.runs.request('shop', { scenarios: [{ id: 'RT-good' }] });
  t.match(await waitForRun(client, run?.run_id ?? ''), { state: 'passed', report: { instance: 'shop' } });
  const keys = join(testWorkspace.paths.config, 'direct');
  t.same(readdirSync(keys), [`${new URL((await waitForListening(executor)).url).port}.key`], 'a key for direct runs');
  executor.interrupt();
  t.equal(await executor.ended, 0);
  t.same(readdirSync(keys), [], 'goes with it');
});

t.test('an executor reports once that its control plane is unreachable, and keeps retrying', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const first = await startServe(t, testWorkspace, ['--public-url', 'http://localhost:7810']);
  const { executor_key: key } = await first.client.instances.create({ instance_id: 'shop' });
  first.serve.interrupt();
  await first.serve.ended;
  const port = new URL(first.started.url).port;
  const line = ['executor', '--port', '0', '--product-dir', 'product', '--control-plane', first.started.url];
  const variables = { VP_EXECUTOR_KEY: key };
  const executor = testWorkspace.start([...line, '--data', join(testWorkspace.folder, 'executor')], { variables });
  const waitForOutput = async (stream: 'stdout' | 'stderr', text: string): Promise<void> => {
    await eventually(() => executor.written[stream], { until: (output) => output.includes(text), description: text });
  };
  await waitForOutput('stderr', 'trying again');
  t.match(
    executor.written.stderr,
    /"problem":"the control plane at .* cannot be reached: .*"cure":"start it with `vp serve`/,
  );
  const restarted = testWorkspace.start(['serve', '--port', port, '--data', first.data]);
  await waitForOutput('stdout', 'registered as shop\n');
  t.equal(executor.written.stderr.split('cannot be reached').length, 2, 'once');
  for (const role of [executor, restarted]) {
    role.interrupt();
    t.equal(await role.ended, 0);
  }
});

t.test('without a key an executor reports how to get one: EXECUTOR_KEY_ABSENT', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { code, stdout } = await testWorkspace.vp(['executor', '--json', '--product-dir', 'product']);
  t.equal(code, 2);
  t.match(JSON.parse(stdout), { error: { code: 'EXECUTOR_KEY_ABSENT', cure: /vp instances create/ } });
});

t.test('the earlier of two executors exits with the reason: EXECUTOR_ENDED_SUPERSEDED', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { client, started } = await startServe(t, testWorkspace);
  const { executor_key: key } = await client.instances.create({ instance_id: 'shop' });
  const start = (name: string): RunningCommand => {
    const args = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--control-plane', started.url];
    return testWorkspace.start([...args, '--data', join(testWorkspace.folder, name)], {
      variables: { VP_EXECUTOR_KEY: key },
    });
  };
  const first = start('one');
  await waitForListening(first);
  await eventually(() => client.instances.get('shop'), { until: (shop) => shop.executor_status === 'REGISTERED' });
  const second = start('two');
  await waitForListening(second);
  t.equal(await first.ended, 4);
  t.match(JSON.parse(first.written.stdout.trim().split('\n').at(-1) ?? ''), {
    error: { code: 'EXECUTOR_ENDED_SUPERSEDED' },
  });
  second.interrupt();
  t.equal(await second.ended, 0);
});

t.test('an executor whose instance is removed says so, and not that another one took over', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { client, started } = await startServe(t, testWorkspace);
  const { executor_key: key } = await client.instances.create({ instance_id: 'shop' });
  const args = ['executor', '--json', '--port', '0', '--product-dir', 'product', '--control-plane', started.url];
  const executor = testWorkspace.start([...args, '--data', join(testWorkspace.folder, 'one')], {
    variables: { VP_EXECUTOR_KEY: key },
  });
  await waitForListening(executor);
  await eventually(() => client.instances.get('shop'), { until: (shop) => shop.executor_status === 'REGISTERED' });
  await client.instances.remove('shop');
  t.equal(await executor.ended, 4);
  t.match(JSON.parse(executor.written.stdout.trim().split('\n').at(-1) ?? ''), {
    error: { code: 'EXECUTOR_ENDED_REMOVED', message: /shop|instance .* was removed/ },
  });
});

t.test('backup and restore bring a control plane back', async (t) => {
  const testWorkspace = createWorkspace(t, nowhere);
  const { client, serve, data } = await startServe(t, testWorkspace);
  await client.instances.create({ instance_id: 'shop' });
  const backup = await testWorkspace.vp(['backup', 'copy.db', '--data', data, '--json']);
  t.equal(backup.code, 0);
  t.ok(existsSync(JSON.parse(backup.stdout).file));
  await client.instances.remove('shop');
  t.equal((await testWorkspace.vp(['restore', 'copy.db', '--data', data])).code, 3, 'not while it is in use');
  serve.interrupt();
  await serve.ended;
  const restored = await testWorkspace.vp(['restore', 'copy.db', '--data', data]);
  t.equal(restored.code, 0);
  t.match(restored.stdout, /is kept as/);
  const { client: again } = await startServe(t, testWorkspace);
  t.match(await again.instances.list(), [{ instance_id: 'shop' }]);
});
