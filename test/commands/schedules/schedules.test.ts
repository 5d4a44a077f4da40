/** `vp schedules` and its file, on a real control plane. */
import t from 'tap';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText } from '../test-workspace.ts';

t.test('schedules are added, listed, edited, paused, resumed and removed', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9', {
    'scenarios/b.md': scenarioText('RT-b', { tags: 'smoke' }),
  });
  const { vp, registerInstance } = await startTestControlPlane(t, workspace);
  await registerInstance('shop');
  await vp(['scenarios', 'push', 'scenarios/b.md']);
  t.match(await vp(['schedules', 'list']), {
    code: 0,
    stdout: /^shop has no schedules; create one with `vp schedules add/,
  });
  const added = await vp([
    'schedules',
    'add',
    'nightly',
    '--cron',
    '0 2 * * *',
    '--time-zone',
    'Europe/Berlin',
    '--tag',
    'smoke',
  ]);
  t.match(added, {
    code: 0,
    stdout: /^schedule nightly of shop: tag smoke \(1\), 0 2 \* \* \* Europe\/Berlin\n {2}\w{3}/,
  });
  t.equal(added.stdout.trimEnd().split('\n').length, 6, 'the next five times');
  t.match(await vp(['schedules', 'list']), {
    stdout: /nightly +0 2 \* \* \* Europe\/Berlin +\w{3}, .* 02:00 .* 1 +never/,
  });
  const edited = JSON.parse((await vp(['schedules', 'edit', 'nightly', '--cron', '30 3 * * *', '--json'])).stdout);
  t.match(edited.schedule.definition, { cron: '30 3 * * *', time_zone: 'Europe/Berlin', tags: ['smoke'] });
  const replaced = JSON.parse((await vp(['schedules', 'edit', 'nightly', '--scenario', 'RT-*', '--json'])).stdout);
  t.match(replaced.schedule.definition, { cron: '30 3 * * *', scenarios: ['RT-*'], tags: undefined });
  const all = JSON.parse(
    (await vp(['schedules', 'edit', 'nightly', '--every-scenario', '--every', '6h', '--json'])).stdout,
  );
  t.same(all.schedule.definition, { every: '6h' });
  await vp(['schedules', 'edit', 'nightly', '--jitter', '60', '--missed', 'skip']);
  const onVersion = JSON.parse((await vp(['schedules', 'edit', 'nightly', '--on', 'new_version', '--json'])).stdout);
  t.same(onVersion.schedule.definition, { on: 'new_version' }, 'what only times have goes with them');
  await vp(['schedules', 'edit', 'nightly', '--every', '6h']);
  t.match(await vp(['schedules', 'edit', 'nightly', '--every-scenario', '--tag', 'a']), {
    code: 2,
    stderr: /contradicts/,
  });
  t.match(await vp(['schedules', 'pause', 'nightly']), {
    stdout: /is paused; resume it with `vp schedules resume nightly`/,
  });
  t.match(await vp(['schedules', 'list']), { stdout: /paused by/ });
  t.match(await vp(['schedules', 'resume', 'nightly']), { stdout: /is resumed; next: / });
  t.match(await vp(['schedules', 'next', 'nightly']), { code: 0, stdout: /^nightly: every scenario, every 6h\n/ });
  const tried = await vp(['schedules', 'next', '--cron', '30 2 * * *', '--time-zone', 'Europe/Berlin']);
  t.match(tried, { code: 0, stdout: /^30 2 \* \* \* Europe\/Berlin, 1 scenario\n/ });
  t.match(await vp(['schedules', 'add', 'bad', '--every', '7x']), { code: 2, stderr: /every: must be a duration/ });
  t.match(await vp(['schedules', 'add', 'deploy', '--on', 'webhook']), {
    stdout: /POST http.*\/api\/v1\/instances\/shop\/schedules\/deploy\/webhook\n {2}secret whsec_/,
  });
  t.match(await vp(['schedules', 'remove', 'nightly']), { stdout: 'schedule nightly of shop is removed\n' });
  t.match(await vp(['schedules', 'next', 'nightly']), { code: 2, stderr: /no schedule nightly/ });
});

t.test('a schedules.yaml is pushed with its scenarios, and is refused before anything is sent', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9', { 'scenarios/b.md': scenarioText('RT-b') });
  const { vp, registerInstance } = await startTestControlPlane(t, workspace);
  await registerInstance('shop');
  workspace.write('scenarios/schedules.yaml', 'schedules:\n  nightly: { cron: "0 25 * * *" }\n');
  t.match(await vp(['scenarios', 'push', 'scenarios']), { code: 2, stderr: /cron: / });
  t.match(await vp(['scenarios', 'list']), { stdout: /no scenarios|^(?!.*RT-b)/ });
  workspace.write('scenarios/schedules.yaml', 'schedules:\n  nightly: { cron: "0 2 * * *", tag: smoke }\n');
  t.match(await vp(['scenarios', 'push', 'scenarios']), { code: 2, stderr: /schedules\.yaml: nightly\./ });
  workspace.write('scenarios/schedules.yaml', 'schedules: [nightly]\n');
  t.match(JSON.parse((await vp(['scenarios', 'push', 'scenarios', '--json'])).stdout), {
    error: { code: 'SCHEDULE_FILE_INVALID' },
  });
  workspace.write('scenarios/schedules.yaml', 'schedules:\n  nightly: { cron: "0 2 * * *", tags: [http] }\n');
  const pushed = await vp(['scenarios', 'push', 'scenarios']);
  t.match(pushed, {
    code: 0,
    stdout: /created {2}schedule nightly\n1 schedule of shop as in schedules\.yaml, 1 changed/,
  });
  t.match(await vp(['schedules', 'list']), { stdout: /nightly .* schedules\.yaml/ });
  t.match(await vp(['schedules', 'remove', 'nightly']), { code: 2, stderr: /comes from schedules\.yaml/ });
  workspace.write('scenarios/schedules.yaml', 'schedules: {}\n');
  t.match(await vp(['scenarios', 'push', 'scenarios/schedules.yaml']), {
    code: 0,
    stdout: /removed {2}schedule nightly/,
  });
});

t.test('an edit without a flag, and a schedule beside times to try, are refused', async (t) => {
  const { vp, registerInstance } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  await registerInstance('shop');
  const added = await vp(['schedules', 'add', 'nightly', '--cron', '0 2 * * *', '--tag', 'smok']);
  t.match(added, { code: 0, stdout: /no scenario of the catalogue matches yet/ });
  t.match(await vp(['schedules', 'edit', 'nightly']), {
    code: 2,
    stderr: /--cron or another flag must be given \(FLAG_INVALID\)/,
  });
  t.match(await vp(['schedules', 'edit', 'nightly', '--tag', 'smoek']), {
    code: 0,
    stdout: /tag smoek \(0\).*\nno scenario of the catalogue matches yet\n/,
  });
  t.match(await vp(['schedules', 'next', 'nightly', '--cron', '0 3 * * *']), {
    code: 2,
    stderr: /--cron cannot be combined with <schedule> \(FLAG_CONTRADICTED\)/,
  });
  t.match(await vp(['schedules', 'next', 'nightly', '--tag', 'smoke']), { code: 2, stderr: /--tag cannot/ });
  t.match(await vp(['schedules', 'next', '--every', '6h', '--tag', 'smok']), {
    stdout: /^every 6h, 0 scenarios\nno scenario of the catalogue matches yet\n/,
  });
});

t.test('a schedule that is paused or resumed already is said to be', async (t) => {
  const { vp, registerInstance } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  await registerInstance('shop');
  await vp(['schedules', 'add', 'nightly', '--cron', '0 2 * * *']);
  t.match(await vp(['schedules', 'resume', 'nightly']), {
    code: 0,
    stdout: /^schedule nightly was not paused; next: /,
  });
  t.match(await vp(['schedules', 'pause', 'nightly']), { code: 0, stdout: /^schedule nightly is paused; / });
  t.match(await vp(['schedules', 'pause', 'nightly']), {
    code: 0,
    stdout: /^schedule nightly was already paused, by /,
  });
});
