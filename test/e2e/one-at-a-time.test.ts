/** Exclusive resources: the second process is told who holds it, and the first one continues. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createOwnerClient, listeningUrl, sandboxTest } from './sandbox.ts';
import { shareEnvironment } from './shared-environment.ts';
import { assertNothingLost, scenarioId, scenarioText } from './test-environment.ts';

const environmentTest = shareEnvironment();

sandboxTest('two control planes on one data folder', async (t, sandbox) => {
  const { url, data, running } = await sandbox.serve();
  const line = ['serve', '--port', '0', '--data', data];
  const { code, stdout, stderr } = await sandbox.run(line);
  t.equal(code, 3);
  t.equal(stdout, '');
  t.match(stderr, 'STORE_IN_USE');
  t.match(stderr, `process ${running.pid}`, 'which process holds it');
  t.match(stderr, data);
  t.match(stderr, '--data', 'the fix');
  const second = await sandbox.run([...line, '--json']);
  t.match(JSON.parse(second.stdout), { error: { code: 'STORE_IN_USE', exit_code: 3 } });
  t.equal((await fetch(`${url}/readyz`)).status, 200, 'the first goes on');

  for (const name of ['control.lock', 'control.pid']) rmSync(join(data, name));
  const without = await sandbox.run(line);
  t.match(
    without,
    { code: 3, stderr: /STORE_IN_USE/ },
    'also when the lock file was removed: the store itself is locked',
  );
  t.match(without.stderr, `process ${running.pid}`);
  const backup = sandbox.write('some.db', '');
  t.match(await sandbox.run(['restore', backup, '--data', data]), { code: 2 });
  const copy = join(sandbox.folder, 'copy.db');
  t.match(await sandbox.run(['backup', copy, '--data', data]), { code: 0 }, 'a backup is made while it is in use');
  t.match(await sandbox.run(['restore', copy, '--data', data]), { code: 3, stderr: /STORE_IN_USE/ });
  t.equal((await fetch(`${url}/readyz`)).status, 200);

  await running.kill();
  const third = await sandbox.serve(data);
  t.ok(third.url, 'a kill -9 leaves no lock behind');
});

sandboxTest('two control planes at one address', async (t, sandbox) => {
  const { url, data } = await sandbox.serve();
  const other = join(sandbox.folder, 'other');
  const { code, stderr } = await sandbox.run(['serve', '--port', new URL(url).port, '--data', other]);
  t.equal(code, 4);
  t.match(stderr, 'LISTEN_ADDRESS_TAKEN');
  t.match(stderr, '--port', 'the fix');
  t.same(await createOwnerClient({ url, data }).instances.list(), []);
  const listing = await sandbox.run(['runs', '--control-plane', url]);
  t.equal(listing.code, 0, `the credential of the first still stands: ${listing.stderr}`);
  const again = await sandbox.serve(other);
  t.ok(again.url, 'the folder of the second is not locked');
});

environmentTest('two executors at one address: the second gives back what it may have taken', async (t, env) => {
  const first = await env.startRegisteredExecutor();
  const { port } = new URL(await listeningUrl(first));
  await env.client.instances.create({ instance_id: 'other' });
  const { executor_key: key } = await env.client.instances.rotateKey('other');
  await env.client.scenarios.write('other', scenarioId, { text: scenarioText() });
  const [run] = await env.client.runs.request('other', { scenarios: [{ id: scenarioId }] });
  const line = ['executor', '--product-dir', 'product', '--control-plane', env.controlPlane.url];
  const variables = { VP_EXECUTOR_KEY: key };
  const second = await env.sandbox.run([...line, '--port', port, '--data', 'other'], { variables });
  t.match(second, { code: 4, stderr: /LISTEN_ADDRESS_TAKEN/ });
  env.sandbox.vp([...line, '--port', '0', '--data', 'other'], { variables });
  t.match(await env.waitForRuns(run ? [run] : []), [{ state: 'passed' }]);
  t.same(env.target.log, [run?.correlation_id], 'sent once');
});

environmentTest('two executors on one folder', async (t, env) => {
  const first = await env.startRegisteredExecutor();
  const second = env.startExecutor();
  const { code, stderr, stdout } = await second.ended;
  t.equal(code, 3);
  t.match(stdout + stderr, 'STORE_IN_USE');
  t.match(stdout + stderr, `process ${first.pid}`);
  t.notMatch(stdout + stderr, /another control plane is using/, 'it is an executor that uses it');
  await assertNothingLost(t, env, await env.requestRuns(1));
  t.equal(first.hasEnded, false);
  env.executor = first;
});

environmentTest(
  'two executors for one instance: the second takes over, and the first says so and ends',
  async (t, env) => {
    const first = await env.startRegisteredExecutor();
    const second = env.startExecutor(join(env.sandbox.folder, 'second'));
    const { code, stdout } = await first.ended;
    const { error } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    t.match(error, { code: 'EXECUTOR_ENDED_SUPERSEDED', exit_code: code });
    t.not(code, 0);
    t.ok(error.cure);
    await assertNothingLost(t, env, await env.requestRuns(2));
    t.equal(second.hasEnded, false);
  },
);

environmentTest(
  'the second executor takes over while the first has a run: it ends as lost and is sent once',
  async (t, env) => {
    const first = await env.startRegisteredExecutor();
    env.target.close();
    const [lost, ...more] = await env.requestRuns(2);
    if (!lost) throw new Error('two runs were requested');
    await env.target.arrivals(1);
    await listeningUrl(env.startExecutor(join(env.sandbox.folder, 'third')));
    await env.target.arrivals(2);
    env.target.open();
    t.match(await first.ended, { stdout: /EXECUTOR_ENDED_SUPERSEDED/ });
    await assertNothingLost(t, env, [lost, ...more], [lost]);
    t.equal(env.target.log.length, 2);
  },
);

environmentTest(
  'the key of another control plane, a key that was rotated, and a key of the wrong kind',
  async (t, env) => {
    const owner = readFileSync(join(env.controlPlane.data, 'owner.key'), 'utf8').trim();
    const { executor_key: before } = await env.client.instances.create({ instance_id: 'rotated' });
    await env.client.instances.rotateKey('rotated');
    env.sandbox.write('product/scenario.md', scenarioText());
    for (const key of [before, owner, 'vpe_nonsense']) {
      const args = [
        'executor',
        '--port',
        '0',
        '--data',
        'e',
        '--product-dir',
        'product',
        '--control-plane',
        env.controlPlane.url,
      ];
      const executor = env.sandbox.vp(args, { variables: { VP_EXECUTOR_KEY: key } });
      t.match(await executor.ended, { code: 2, stderr: /CREDENTIAL_IN(VALID|SUFFICIENT)/ }, 'it ends and says why');
    }
  },
);
