/** The exit code, output and report files of `vp run`, through a control plane and an executor. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { sandboxTest } from './sandbox.ts';
import { shareEnvironment } from './shared-environment.ts';
import { configText, scenarioId, scenarioText } from './test-environment.ts';

const environmentTest = shareEnvironment();

const formats = ['text', 'json', 'junit', 'html'] as const;
const reportFlags = formats.flatMap((format) => ['--report', `${format}=out/report.${format}`]);

environmentTest('0, 1, 2 and 4, with reports wherever something was run', async (t, env) => {
  await env.startRegisteredExecutor();
  env.sandbox.write('wrong.md', scenarioText('RT-wrong', '4'));
  env.sandbox.write('broken.md', scenarioText('RT-broken').replace('## EXPECT', '## EXPEKT'));
  const run = (...args: string[]) => env.sandbox.run(['run', ...args, '--control-plane', env.controlPlane.url]);
  const readReports = () =>
    formats.map((format) => readFileSync(join(env.sandbox.folder, 'out', `report.${format}`), 'utf8'));

  const passed = await run(scenarioId, ...reportFlags);
  t.match(passed, { code: 0, stderr: '' }, 'passed');
  const [passedId = ''] = /\d{8}T\d{9}/.exec(passed.stdout) ?? [];
  for (const text of readReports()) t.match(text, passedId);

  const failed = await run(scenarioId, 'wrong.md', ...reportFlags);
  t.equal(failed.code, 1, 'a check was false in one of two');
  t.match(failed.stdout, /wrong\.md:19/, 'the place of the check');
  t.match(failed.stdout, /body has count equals 4/);
  for (const text of readReports()) t.match(text, 'RT-wrong', 'reports are written on failure');
  t.match(readReports()[2], /<testsuites[^>]* failures="1"/);

  for (const [args, code] of [
    [['broken.md'], 'SCENARIO_FILES_INVALID'],
    [['no-such-file.md'], 'SCENARIO_FILE'],
    [['RT-unknown'], 'SCENARIO_UNKNOWN'],
    [['--tag', 'nothing-has-this'], 'RUN_TAG_UNKNOWN'],
    [[], 'RUN_NOTHING_SELECTED'],
    [[scenarioId, '--instance', 'nobody'], 'INSTANCE_UNKNOWN'],
    [[scenarioId, '--report', 'pdf=x'], 'FLAG_INVALID'],
    [[scenarioId, '--no-such-flag'], 'FLAG_UNKNOWN'],
  ] as const) {
    t.match(await run(...args), { code: 2, stdout: '', stderr: new RegExp(code) }, code);
  }
  t.equal(env.target.log.length, 3, 'none of those was run');

  env.sandbox.write('product/platform-config.yaml', configText(`http://127.0.0.1:${await findFreePort()}`));
  await env.killExecutor();
  await env.startRegisteredExecutor();
  const unreachableTarget = await run(scenarioId, ...reportFlags);
  t.equal(unreachableTarget.code, 4, 'the target could not be reached');
  t.match(unreachableTarget.stdout, 'targets.http.base_url', 'with the fix');
  for (const text of readReports()) t.match(text, 'connection was refused');
  t.match(await run(scenarioId, 'wrong.md', '--json'), { code: 4, stdout: /"target_unreachable"/ });
});

environmentTest('invalid credentials', async (t, env) => {
  const line = ['run', scenarioId, '--control-plane', env.controlPlane.url];
  const wrong = { variables: { VP_TOKEN: `vpo_${'x'.repeat(43)}` } };
  t.match(await env.sandbox.run(line, wrong), { code: 2, stderr: /CREDENTIAL_INVALID/ }, 'a wrong key');
  const executorKey = { variables: { VP_TOKEN: env.executorKey } };
  t.match(await env.sandbox.run(line, executorKey), { code: 2, stderr: /CREDENTIAL_INSUFFICIENT/ }, 'an executor key');
  const unsendable = { variables: { VP_TOKEN: 'schlüssel' } };
  t.match(await env.sandbox.run(line, unsendable), {
    code: 2,
    stderr: /CREDENTIAL_UNUSABLE.*VP_TOKEN|VP_TOKEN.*CREDENTIAL_UNUSABLE/s,
  });
  const otherUser = {
    variables: { HOME: join(env.sandbox.folder, 'stranger'), XDG_CONFIG_HOME: join(env.sandbox.folder, 'stranger') },
  };
  t.match(await env.sandbox.run(line, otherUser), { code: 2, stderr: /CREDENTIAL_ABSENT/ }, 'none at all');

  const { port } = new URL(env.controlPlane.url);
  const name = `home/config/vp/credentials/127.0.0.1_${port}.json`;
  const file = join(env.sandbox.folder, name);
  chmodSync(file, 0o644);
  t.match(
    await env.sandbox.run(line),
    { code: 4, stderr: /STORE_KEY_EXPOSED[\s\S]*chmod 600/ },
    'one that others may read',
  );
  chmodSync(file, 0o600);
  const credentials = readFileSync(file);
  env.sandbox.write(name, 'not JSON');
  t.match(await env.sandbox.run(line), { code: 2, stderr: /CREDENTIAL_UNUSABLE/ }, 'one that is damaged');
  env.sandbox.write(name, credentials);
  t.same(await env.listRuns(), [], 'no run was created');
});

environmentTest('addresses without a control plane', async (t, env) => {
  const token = { variables: { VP_TOKEN: 'vpo_anything' } };
  const run = (url: string, ...more: string[]) =>
    env.sandbox.run(['run', scenarioId, '--control-plane', url, ...more], token);

  const unreachable = await run(`http://127.0.0.1:${await findFreePort()}`);
  t.match(unreachable, { code: 4, stderr: /CONTROL_PLANE_UNREACHABLE[\s\S]*`vp serve --port \d+`/ }, 'nothing listens');
  const target = await run(env.target.origin);
  t.match(target, { code: 4, stderr: /CONTROL_PLANE_ANSWER_UNEXPECTED/ }, 'the application itself');
  const name = await run('https://no-such-host.invalid');
  t.match(name, { code: 4, stderr: /CONTROL_PLANE_UNREACHABLE/ }, 'an unknown host name');
  const tls = await run(env.controlPlane.url.replace('http:', 'https:'));
  t.match(tls, { code: 4, stderr: /CONTROL_PLANE_UNREACHABLE/ }, 'https to a plain port');
  for (const address of ['plane.example:7700', 'ftp://127.0.0.1', 'http://user:word@127.0.0.1:7700', 'nonsense']) {
    t.match(
      await run(address),
      { code: 2, stderr: /FLAG_INVALID[\s\S]*--control-plane|--control-plane[\s\S]*FLAG_INVALID/ },
      address,
    );
  }
  const clear = await run('http://192.0.2.1:7700');
  t.match(clear, { code: 2, stderr: /CREDENTIAL_IN_CLEAR/ }, 'another machine over plain http');
  t.match(clear.stderr, '--allow-insecure');
  t.same(env.target.log, ['none'], 'the application saw one call, without a run');
});

environmentTest('unwritable reports are reported before anything runs', async (t, env) => {
  env.sandbox.write('a-file', '');
  const line = ['run', scenarioId, '--control-plane', env.controlPlane.url, '--report', 'json=a-file/report.json'];
  t.match(await env.sandbox.run(line), { code: 4, stderr: /RUN_REPORT_UNWRITABLE/ });
  t.same(await env.listRuns(), []);
});

environmentTest(
  'an unwritable key file is reported before the instance is created',
  async (t, { sandbox, controlPlane }) => {
    const create = (keyFile: string) =>
      sandbox.run(['instances', 'create', 'other', '--control-plane', controlPlane.url, '--key-file', keyFile]);
    sandbox.write('a-file', '');
    t.match(await create('a-file/other.key'), { code: 4, stderr: /a-file\/other\.key.*STORE_KEY_UNWRITABLE/ });
    t.match(await create('other.key'), { code: 0 }, 'the id is still free');
    t.ok(existsSync(join(sandbox.folder, 'other.key')));
  },
);

sandboxTest('a control plane without TLS on a public address is refused', async (t, sandbox) => {
  const data = join(sandbox.folder, 'plane');
  const open = await sandbox.run(['serve', '--host', '0.0.0.0', '--port', '0', '--data', data]);
  t.match(open, { code: 2, stdout: '', stderr: /SERVE_INSECURE/ });
  t.match(open.stderr, '--allow-insecure');
  t.notOk(existsSync(join(data, 'control.db')), 'before anything is made');
});
