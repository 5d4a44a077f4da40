/** Two of what there may be one of: the second is told who is there, the first goes on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { house, instance, provesNothingLost, scenarioId, scenarioText } from './house.ts';
import { listeningUrl, ownerOf, scene } from './stage.ts';

scene('two control planes on one data folder', async (t, stage) => {
  const { url, data, running } = await stage.serve();
  const line = ['serve', '--port', '0', '--data', data];
  const { code, stdout, stderr } = await stage.run(line);
  t.equal(code, 3);
  t.equal(stdout, '');
  t.match(stderr, 'STORE_IN_USE');
  t.match(stderr, `process ${running.pid}`, 'who is there');
  t.match(stderr, data);
  t.match(stderr, '--data', 'the cure');
  const second = await stage.run([...line, '--json']);
  t.match(JSON.parse(second.stdout), { error: { code: 'STORE_IN_USE', exit_code: 3 } });
  t.equal((await fetch(`${url}/readyz`)).status, 200, 'the first goes on');

  const backup = stage.write('some.db', '');
  t.match(await stage.run(['restore', backup, '--data', data]), { code: 2 });
  const copy = join(stage.folder, 'copy.db');
  t.match(await stage.run(['backup', copy, '--data', data]), { code: 0 }, 'a backup is made while it is in use');
  t.match(await stage.run(['restore', copy, '--data', data]), { code: 3, stderr: /STORE_IN_USE/ });
  t.equal((await fetch(`${url}/readyz`)).status, 200);

  await running.kill();
  const third = await stage.serve(data);
  t.ok(third.url, 'a kill -9 leaves no lock behind');
});

scene('two control planes at one address', async (t, stage) => {
  const { url, data } = await stage.serve();
  const other = join(stage.folder, 'other');
  const { code, stderr } = await stage.run(['serve', '--port', new URL(url).port, '--data', other]);
  t.equal(code, 4);
  t.match(stderr, 'LISTEN_ADDRESS_TAKEN');
  t.match(stderr, '--port', 'the cure');
  t.same(await ownerOf({ url, data }).instances.list(), []);
  const asUser = await stage.run(['runs', '--control-plane', url]);
  t.equal(asUser.code, 0, `the credential of the first still stands: ${asUser.stderr}`);
  const again = await stage.serve(other);
  t.ok(again.url, 'the folder of the second is not locked');
});

scene('two executors at one address: the second gives back what it may have taken', async (t, stage) => {
  const at = await house(t, stage);
  const first = await at.welcomeExecutor();
  const { port } = new URL(await listeningUrl(first));
  await at.client.instances.create({ instance_id: 'other' });
  const { executor_key: key } = await at.client.instances.rotateKey('other');
  await at.client.scenarios.write('other', scenarioId, { text: scenarioText() });
  const [run] = await at.client.runs.request('other', { scenarios: [{ id: scenarioId }] });
  const line = ['executor', '--product-dir', 'product', '--control-plane', at.plane.url];
  const variables = { VP_EXECUTOR_KEY: key };
  const second = await stage.run([...line, '--port', port, '--data', 'second'], { variables });
  t.match(second, { code: 4, stderr: /LISTEN_ADDRESS_TAKEN/ });
  stage.vp([...line, '--port', '0', '--data', 'second'], { variables });
  t.match(await at.ended(run ? [run] : []), [{ state: 'passed' }]);
  t.same(at.target.log, [run?.correlation_id], 'sent once');
});

scene('two executors on one folder', async (t, stage) => {
  const at = await house(t, stage);
  const first = await at.welcomeExecutor();
  const second = at.startExecutor();
  const { code, stderr, stdout } = await second.ended;
  t.equal(code, 3);
  t.match(stdout + stderr, 'STORE_IN_USE');
  t.match(stdout + stderr, `process ${first.pid}`);
  t.notMatch(stdout + stderr, /another control plane is using/, 'it is an executor that uses it');
  await provesNothingLost(t, at, await at.request(1));
  t.equal(first.over, false);
});

scene('two executors for one instance: the second takes over, and the first says so and ends', async (t, stage) => {
  const at = await house(t, stage);
  const first = await at.welcomeExecutor();
  const second = at.startExecutor(join(stage.folder, 'second'));
  const { code, stdout } = await first.ended;
  const { error } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  t.match(error, { code: 'EXECUTOR_ENDED_SUPERSEDED', exit_code: code });
  t.not(code, 0);
  t.ok(error.cure);
  await provesNothingLost(t, at, await at.request(2));
  t.equal(second.over, false);
});

scene(
  'the second executor takes over while the first has a run: it ends as lost and is sent once',
  async (t, stage) => {
    const at = await house(t, stage);
    const first = await at.welcomeExecutor();
    at.target.close();
    const [lost, ...more] = await at.request(2);
    if (!lost) throw new Error('two runs were requested');
    await at.target.arrivals(1);
    await listeningUrl(at.startExecutor(join(stage.folder, 'second')));
    await at.target.arrivals(2);
    at.target.open();
    t.match(await first.ended, { stdout: /EXECUTOR_ENDED_SUPERSEDED/ });
    await provesNothingLost(t, at, [lost, ...more], [lost]);
    t.equal(at.target.log.length, 2);
  },
);

scene('the key of another control plane, a key that was rotated, and a key of the wrong kind', async (t, stage) => {
  const at = await house(t, stage);
  const owner = readFileSync(join(at.plane.data, 'owner.key'), 'utf8').trim();
  const before = at.executorKey;
  await at.client.instances.rotateKey(instance);
  stage.write('product/scenario.md', scenarioText());
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
      at.plane.url,
    ];
    const executor = stage.vp(args, { variables: { VP_EXECUTOR_KEY: key } });
    t.match(await executor.ended, { code: 2, stderr: /CREDENTIAL_IN(VALID|SUFFICIENT)/ }, 'it ends and says why');
  }
});
