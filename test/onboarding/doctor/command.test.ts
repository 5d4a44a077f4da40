/** `vp doctor` against a real control plane, and its call of a tool against a real executor. */
import { join } from 'node:path';
import t from 'tap';
import { callToolAsAgent } from '../../../src/commands/doctor/agent-tool-call.ts';
import { createAgentTestSetup } from '../../agents/agent-test-setup.ts';
import { writeOnboardedKit } from '../../commands/onboarded-kit.ts';
import { scenarioText, startTarget } from '../../commands/test-workspace.ts';
import { startDoctorFixture } from './doctor-fixture.ts';

t.test('a tool is called with the token of an agent folder', async (t) => {
  const target = await startTarget(t, (_request, response) => response.end('{}'));
  const fixture = await createAgentTestSetup(t, { baseUrl: target.origin });
  const url = `${fixture.url}/mcp`;
  const asTest = await callToolAsAgent(url, await fixture.token('test'), 'author__get_executor_status');
  t.match(asTest, { isError: false, text: /^shop: healthy/, data: { log: { state: 'not configured' }, database: {} } });
  t.match(await callToolAsAgent(url, await fixture.token('product'), 'product__get_instance_status'), {
    isError: false,
  });
  const other = `vpr_shop_test_${'x'.repeat(43)}`;
  await t.rejects(callToolAsAgent(url, other, 'author__get_executor_status'), { code: 'AGENT_CALL_FAILED' });
  await t.rejects(callToolAsAgent('http://127.0.0.1:1/mcp', other, 'author__get_executor_status'), {
    code: 'AGENT_CALL_FAILED',
    message: /127\.0\.0\.1:1/,
  });
});

t.test('doctor checks an instance through its control plane and its folders', async (t) => {
  const { doctor, register, put, files, vp, variables } = await startDoctorFixture(t);
  await register('shop');
  await put('shop', 'RT-GET-a', scenarioText('RT-GET-a'));
  await vp(['connect', '--test-dir', 'tests', '--router', 'http://127.0.0.1:1'], { variables });
  const { code, checks } = await doctor('--test-dir', 'tests', '--product-dir', 'product');
  t.equal(code, 1);
  t.match(checks.get('control_plane'), { outcome: 'ok', facts: [/^http/, 'ready'] });
  t.match(checks.get('clock'), { outcome: 'ok' });
  t.match(checks.get('sign_in'), { outcome: 'ok', facts: [/owner/] });
  t.match(checks.get('instance'), { outcome: 'problem', problems: [{ code: 'EXECUTOR_NEVER_SEEN' }] });
  t.match(checks.get('test_agent'), { problems: [{ code: 'AGENT_REFUSED' }] });
  t.match(checks.get('product_agent'), { problems: [{ code: 'AGENT_FOLDER_UNCONNECTED' }] });
  t.match(checks.get('config'), { outcome: 'problem', problems: [{ message: /platform-config\.yaml/ }] });
  t.match(checks.get('scenarios'), { outcome: 'ok', facts: ['1 of 1 can be used'] });
  t.match(checks.get('catalogue'), { outcome: 'ok', facts: ['1 scenarios, all identical'] });
  t.match(checks.get('log_lines'), { outcome: 'skipped', facts: [/^not checked: no run/] });
  files.write('tests/scenarios/RT-GET-b.md', '# Scenario: GET b\n');
  const after = await doctor('--scenarios', 'tests/scenarios');
  t.match(after.checks.get('scenarios'), {
    facts: ['1 of 2 can be used'],
    problems: [{ message: /RT-GET-b\.md:\d+:\d+: / }],
  });
});

t.test('without flags doctor takes the instance and the folders of the onboarding on this machine', async (t) => {
  const { doctor, register, files } = await startDoctorFixture(t);
  await register('shop');
  writeOnboardedKit(files.paths, {
    ...{ instance_id: 'shop', product_dir: join(files.folder, 'product'), test_dir: join(files.folder, 'tests') },
  });
  const { checks } = await doctor();
  t.match(checks.get('instance'), { problems: [{ code: 'EXECUTOR_NEVER_SEEN' }] });
  t.match(checks.get('scenarios'), { outcome: 'ok', facts: ['1 of 1 can be used'] });
  t.match(checks.get('test_agent'), { problems: [{ code: 'AGENT_FOLDER_UNCONNECTED' }] });
});

t.test('a missing scenario folder is a warning unless the user named it', async (t) => {
  const { doctor, register } = await startDoctorFixture(t);
  await register('shop');
  t.match((await doctor()).checks.get('scenarios'), {
    outcome: 'warning',
    problems: [{ code: 'SCENARIOS_DEFAULT_MISSING' }],
  });
  const named = await doctor('--scenarios', 'nowhere');
  t.match(named.checks.get('scenarios'), { outcome: 'problem', problems: [{ code: 'SCENARIOS_FOLDER_MISSING' }] });
});

t.test('without a control plane the instance is known from the folders', async (t) => {
  const { doctor, register, vp, stop, variables } = await startDoctorFixture(t);
  await register('shop');
  await vp(['connect', '--test-dir', 'tests', '--router', 'http://127.0.0.1:1'], { variables });
  await stop();
  const { checks } = await doctor('--test-dir', 'tests');
  t.match(checks.get('control_plane'), { problems: [{ code: 'CONTROL_PLANE_UNREACHABLE' }] });
  t.match(checks.get('instance'), { outcome: 'skipped', facts: ['shop', /not checked/] });
  t.match(checks.get('versions'), { outcome: 'skipped', facts: [/^vp /, /not compared/] });
  const { checks: unknown } = await doctor();
  t.match(unknown.get('instance'), { problems: [{ code: 'DOCTOR_INSTANCE_UNKNOWN' }] });
});

t.test('as text each check has its result, and each problem its fix', async (t) => {
  const { vp, register, variables } = await startDoctorFixture(t);
  await register('shop');
  const { stdout, code } = await vp(['doctor', '--instance', 'shop'], { variables });
  t.equal(code, 1);
  t.match(stdout, /✓ control plane: http\S+, ready, store: SQLite\n/);
  t.match(
    stdout,
    /✕ instance and its executor\n {4}the instance shop is registered.*\(EXECUTOR_NEVER_SEEN\)\n {4}fix: wait/,
  );
  t.match(stdout, /– folder of the test agent: not checked without --test-dir\n/);
  t.match(stdout, /\d+ problems, \d+ warnings; \d+ checks were not made\n$/);
  t.match(await vp(['doctor', '--help']), { code: 0, stdout: /--fix/ });
});

t.test('without a test folder doctor takes the scenarios that vp run --local takes', async (t) => {
  const { doctor, register, files } = await startDoctorFixture(t);
  await register('shop');
  t.match((await doctor()).checks.get('scenarios'), { problems: [{ code: 'SCENARIOS_DEFAULT_MISSING' }] });
  files.write('test/scenarios/RT-GET-a.md', scenarioText('RT-GET-a'));
  t.match((await doctor()).checks.get('scenarios'), { outcome: 'ok', facts: ['1 of 1 can be used'] });
});

t.test('without flags doctor checks the config in ./product as vp run --local takes it', async (t) => {
  const { doctor, register, files } = await startDoctorFixture(t);
  await register('shop');
  const { checks } = await doctor();
  t.match(checks.get('config'), { outcome: 'ok', facts: [/platform-config\.yaml is valid$/], problems: [] });
  t.match(checks.get('product_agent'), { outcome: 'skipped' }, 'it is not the folder of an agent');
  files.write('product/platform-config.yaml', 'project: { name: shop }\n');
  t.match((await doctor()).checks.get('config'), { outcome: 'problem', problems: [{ message: /targets/ }] });
});
