/** An upgrade from 0.4.0 with an instance in place: `vp onboard` again brings everything to this version, and nothing is lost. */
import { resolve } from 'node:path';
import t from 'tap';
import { eventually } from '../eventually.ts';
import { recordedName, recordedPort, restoreRecordedMachine, startRecordedContainers } from './recorded-machine.ts';
import { type CommandOutcome, createTestMachine, image } from './test-machine.ts';

const program = resolve(process.env.VP_PROGRAM ?? 'dist/vp');
const url = `http://127.0.0.1:${recordedPort}`;
const testMachine = createTestMachine({ name: recordedName, appPort: 23_796 });
const { call, docker } = testMachine;
const connection = ['--control-plane', url];
const vp = (...args: readonly string[]): Promise<CommandOutcome> => call(program, [...args, ...connection]);
const executor = `platform-inst-${recordedName}-executor-1`;

/** Names of the executor in the target's network. */
async function readAliases(): Promise<readonly string[]> {
  const format = `{{json (index .NetworkSettings.Networks "${recordedName}").Aliases}}`;
  return JSON.parse(await docker('inspect', '--format', format, executor));
}

async function readExecutorStatus(): Promise<string> {
  const { stdout } = await vp('instances', '--json');
  return JSON.parse(stdout).instances[0]?.executor_status;
}

t.before(async () => {
  await testMachine.clear();
  await testMachine.startTarget();
  testMachine.writeFolders();
  await restoreRecordedMachine(testMachine);
});

t.teardown(async () => {
  await testMachine.clear();
  testMachine.removeHome();
});

t.test('an instance of 0.4.0 is brought to this version by onboarding again', { timeout: 240_000 }, async (t) => {
  const stop = await testMachine.startControlPlane(program, recordedPort);
  t.teardown(stop);
  await startRecordedContainers(testMachine);
  await eventually(readExecutorStatus, { timeoutMs: 60_000, until: (status) => status === 'REGISTERED' });
  t.ok((await readAliases()).includes('executor'), 'as 0.4.0 left it: an alias that a service of the target may have');
  const runsBefore = JSON.parse((await vp('runs', '--instance', recordedName, '--json')).stdout).runs;
  t.equal(runsBefore.length, 2, 'a run and the probe of 0.4.0');

  const doctorBefore = await vp('doctor', '--instance', recordedName);
  t.equal(doctorBefore.code, 1, doctorBefore.stdout);
  t.match(doctorBefore.stdout, /TARGET_NOT_PROBED[\s\S]*run `vp onboard/, 'what this version lacks, and how to get it');

  const upgraded = await vp('onboard', '--instance-id', recordedName, '--image', image);
  t.equal(upgraded.code, 0, `${upgraded.stdout}${upgraded.stderr}`);
  t.match(upgraded.stdout, /^ALL SET$/m);
  t.match(upgraded.stdout, new RegExp(`instance +${recordedName}, executor REGISTERED, 127\\.0\\.0\\.1:8765`));
  t.match(upgraded.stdout, /scenarios +imported 4 of 4/);
  t.notOk((await readAliases()).includes('executor'));
  const names = await docker('ps', '--all', '--format', '{{.Names}}', '--filter', `name=${recordedName}-executor`);
  t.equal(names.trim(), executor, 'one executor');

  const doctor = await vp('doctor', '--instance', recordedName);
  t.equal(doctor.code, 0, doctor.stdout);
  t.match(await vp('run', '--instance', recordedName, 'RT-GET-document'), { code: 0, stdout: /1 passed/ });
  const runs = JSON.parse((await vp('runs', '--instance', recordedName, '--json')).stdout).runs;
  const ids = runs.map(({ run_id }: { run_id: string }) => run_id);
  for (const { run_id } of runsBefore) t.ok(ids.includes(run_id), `${run_id} of 0.4.0 is there`);
  t.match(await vp('onboard', '--instance-id', recordedName, '--image', image), {
    code: 0,
    stdout: /^ALL SET$[\s\S]*^Nothing to do\.$/m,
  });
  const removed = await vp('teardown', '--instance-id', recordedName, '--no-sign-in');
  t.match(removed, { code: 0, stdout: new RegExp(`^REMOVED: ${recordedName}$`, 'm') }, removed.stdout);
});
