/** What `vp run` ends with, through a control plane and an executor: its exit code, its words and its report files. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedPort } from '../targets/raw-target.ts';
import { configText, house, instance, scenarioId, scenarioText } from './house.ts';
import { scene } from './stage.ts';

const formats = ['text', 'json', 'junit', 'html'] as const;
const reportFlags = formats.flatMap((format) => ['--report', `${format}=out/report.${format}`]);

scene('0, 1, 2 and 4, with reports wherever something was run', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  stage.write('wrong.md', scenarioText('RT-wrong', '4'));
  stage.write('broken.md', scenarioText('RT-broken').replace('## EXPECT', '## EXPEKT'));
  const run = (...words: string[]) => stage.run(['run', ...words, '--control-plane', at.plane.url]);
  const reported = () => formats.map((format) => readFileSync(join(stage.folder, 'out', `report.${format}`), 'utf8'));

  const passed = await run(scenarioId, ...reportFlags);
  t.match(passed, { code: 0, stderr: '' }, 'passed');
  const [passedId = ''] = /\d{8}T\d{9}/.exec(passed.stdout) ?? [];
  for (const text of reported()) t.match(text, passedId);

  const failed = await run(scenarioId, 'wrong.md', ...reportFlags);
  t.equal(failed.code, 1, 'a check was false in one of two');
  t.match(failed.stdout, /wrong\.md:19/, 'the place of the check');
  t.match(failed.stdout, /body has count equals 4/);
  for (const text of reported()) t.match(text, 'RT-wrong', 'reports are written on failure');
  t.match(reported()[2], /<testsuites[^>]* failures="1"/);

  for (const [words, code] of [
    [['broken.md'], 'SCENARIO_FILES_INVALID'],
    [['no-such-file.md'], 'SCENARIO_FILE'],
    [['RT-unknown'], 'SCENARIO_UNKNOWN'],
    [['--tag', 'nothing-has-this'], 'RUN_TAG_UNKNOWN'],
    [[], 'RUN_NOTHING_SELECTED'],
    [[scenarioId, '--instance', 'nobody'], 'INSTANCE_UNKNOWN'],
    [[scenarioId, '--report', 'pdf=x'], 'FLAG_INVALID'],
    [[scenarioId, '--no-such-flag'], 'FLAG_UNKNOWN'],
  ] as const) {
    t.match(await run(...words), { code: 2, stdout: '', stderr: new RegExp(code) }, code);
  }
  t.equal(at.target.log.length, 3, 'none of those was run');

  stage.write('product/platform-config.yaml', configText(`http://127.0.0.1:${await closedPort()}`));
  await at.killExecutor();
  await at.welcomeExecutor();
  const unreached = await run(scenarioId, ...reportFlags);
  t.equal(unreached.code, 4, 'the target could not be reached');
  t.match(unreached.stdout, 'targets.http.base_url', 'with the cure');
  for (const text of reported()) t.match(text, 'connection was refused');
  t.match(await run(scenarioId, 'wrong.md', '--json'), { code: 4, stdout: /"target_unreachable"/ });
});

scene('credentials that do not open', async (t, stage) => {
  const at = await house(t, stage);
  const line = ['run', scenarioId, '--control-plane', at.plane.url];
  const wrong = { variables: { VP_TOKEN: `vpo_${'x'.repeat(43)}` } };
  t.match(await stage.run(line, wrong), { code: 2, stderr: /CREDENTIAL_INVALID/ }, 'a wrong key');
  const executorKey = { variables: { VP_TOKEN: at.executorKey } };
  t.match(await stage.run(line, executorKey), { code: 2, stderr: /CREDENTIAL_INSUFFICIENT/ }, 'an executor key');
  const unsendable = { variables: { VP_TOKEN: 'schlüssel' } };
  t.match(await stage.run(line, unsendable), {
    code: 2,
    stderr: /CREDENTIAL_UNUSABLE.*VP_TOKEN|VP_TOKEN.*CREDENTIAL_UNUSABLE/s,
  });
  const stranger = {
    variables: { HOME: join(stage.folder, 'stranger'), XDG_CONFIG_HOME: join(stage.folder, 'stranger') },
  };
  t.match(await stage.run(line, stranger), { code: 2, stderr: /CREDENTIAL_ABSENT/ }, 'none at all');

  const { port } = new URL(at.plane.url);
  const file = join(stage.variables.XDG_CONFIG_HOME ?? '', 'vp', 'credentials', `127.0.0.1_${port}.json`);
  chmodSync(file, 0o644);
  t.match(await stage.run(line), { code: 4, stderr: /STORE_KEY_EXPOSED[\s\S]*chmod 600/ }, 'one that others may read');
  chmodSync(file, 0o600);
  stage.write(`home/config/vp/credentials/127.0.0.1_${port}.json`, 'not JSON');
  t.match(await stage.run(line), { code: 2, stderr: /CREDENTIAL_UNUSABLE/ }, 'one that is damaged');
  t.same(await at.client.runs.list(), { items: [], next_cursor: null }, 'nobody got a run');
});

scene('addresses where no control plane is', async (t, stage) => {
  const at = await house(t, stage);
  const token = { variables: { VP_TOKEN: 'vpo_anything' } };
  const run = (url: string, ...more: string[]) =>
    stage.run(['run', scenarioId, '--control-plane', url, ...more], token);

  const nobody = await run(`http://127.0.0.1:${await closedPort()}`);
  t.match(nobody, { code: 4, stderr: /CONTROL_PLANE_UNREACHABLE[\s\S]*`vp serve`/ }, 'nobody listens');
  const target = await run(at.target.origin);
  t.match(target, { code: 4, stderr: /CONTROL_PLANE_ANSWER_UNEXPECTED/ }, 'the application itself');
  const name = await run('https://no-such-host.invalid');
  t.match(name, { code: 4, stderr: /CONTROL_PLANE_UNREACHABLE/ }, 'a name that nobody knows');
  const tls = await run(at.plane.url.replace('http:', 'https:'));
  t.match(tls, { code: 4, stderr: /CONTROL_PLANE_UNREACHABLE/ }, 'https to a plain port');
  for (const address of ['127.0.0.1:7700', 'ftp://127.0.0.1', 'http://user:word@127.0.0.1:7700', 'nonsense']) {
    t.match(
      await run(address),
      { code: 2, stderr: /FLAG_INVALID[\s\S]*--control-plane|--control-plane[\s\S]*FLAG_INVALID/ },
      address,
    );
  }
  const clear = await run('http://192.0.2.1:7700');
  t.match(clear, { code: 2, stderr: /CREDENTIAL_IN_CLEAR/ }, 'another machine over plain http');
  t.match(clear.stderr, '--allow-insecure');
  t.same(at.target.log, ['none'], 'the application saw one call, without a run');
});

scene('reports that cannot be written are told before anything is run', async (t, stage) => {
  const at = await house(t, stage);
  stage.write('a-file', '');
  const line = ['run', scenarioId, '--control-plane', at.plane.url, '--report', 'json=a-file/report.json'];
  t.match(await stage.run(line), { code: 4, stderr: /RUN_REPORT_UNWRITABLE/ });
  t.same((await at.client.runs.list()).items, []);
});

scene('a key file that cannot be written is told before the instance is made', async (t, stage) => {
  const { url } = await stage.serve();
  stage.write('a-file', '');
  const asked = ['instances', 'create', instance, '--control-plane', url, '--key-file', 'a-file/shop.key'];
  t.match(await stage.run(asked), { code: 4, stderr: /a-file\/shop\.key.*STORE_KEY_UNWRITABLE/ });
  const again = await stage.run(['instances', 'create', instance, '--control-plane', url, '--key-file', 'shop.key']);
  t.match(again, { code: 0 }, 'the id is still free');
  t.ok(existsSync(join(stage.folder, 'shop.key')));
});

scene('a control plane that others could listen to is refused', async (t, stage) => {
  const data = join(stage.folder, 'plane');
  const open = await stage.run(['serve', '--host', '0.0.0.0', '--port', '0', '--data', data]);
  t.match(open, { code: 2, stdout: '', stderr: /SERVE_INSECURE/ });
  t.match(open.stderr, '--allow-insecure');
  t.notOk(existsSync(join(data, 'control.db')), 'before anything is made');
});
