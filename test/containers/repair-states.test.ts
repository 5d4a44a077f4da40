/**
 * Random changes to a real engine and its machine; after each, onboarding, doctor and the control plane must tell the truth, and the
 * same command or `doctor --fix` must repair it, or say what only the user can. `VP_STATE_SEED` chooses another order,
 * `VP_STATE_STEPS` sets its length, and `VP_STATE_ONLY` a pattern of names; more than 10 steps need
 * `TAP_TIMEOUT=1800 node --import ./test/tsx-hook.mjs` with this file, without the time limit of the runner.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../eventually.ts';
import { mountSmallDisk, type SmallDisk } from '../storm/small-disks.ts';
import { listMachineChanges, type MachineChange, removeChanges } from './machine-changes.ts';
import { unmountLeftovers } from './mounts.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type CommandOutcome, createTestMachine, image } from './test-machine.ts';

const program = resolve(process.env.VP_PROGRAM ?? 'dist/vp');
const name = 'vp-test-states';
const port = 23_791;
const url = `http://127.0.0.1:${port}`;
const testMachine = createTestMachine({ name, appPort: 23_792 });
const { call, docker, pathTo } = testMachine;

/**
 * Fixed unless given: a suite that gates changes must judge each of them by the same run. This one begins with the changes that no
 * other test makes on a real engine: full disks, another user, a killed executor and a new network.
 */
const seed = Number(process.env.VP_STATE_SEED ?? 7652);
const steps = Number(process.env.VP_STATE_STEPS ?? 5);
const namePattern = new RegExp(process.env.VP_STATE_ONLY ?? '');
const { pick } = createSeededRandom(seed);

/** Onboarding needs 64 MiB free; the stores and the kit have the rest. */
const diskSizeMib = 112;

const common = ['--control-plane', url];
/** Folders are known from the first onboarding. */
const onboardArgs = ['onboard', '--instance-id', name, ...common, '--image', image];
const vp = (...args: readonly string[]): Promise<CommandOutcome> => call(program, args);
const onboard = (): Promise<CommandOutcome> => vp(...onboardArgs);

type Finding = { readonly code: string; readonly severity: string; readonly message: string };

async function diagnose(...flags: readonly string[]): Promise<{ code: number; errors: readonly Finding[] }> {
  const { code, stdout, stderr } = await vp('doctor', '--json', '--instance', name, ...common, ...flags);
  if (stdout === '') throw new Error(stderr);
  const checks: readonly { readonly problems: readonly Finding[] }[] = JSON.parse(stdout).checks;
  const problems = checks.flatMap((check) => check.problems);
  return { code, errors: problems.filter(({ severity }) => severity === 'error') };
}

async function readExecutorStatus(): Promise<string> {
  const { stdout } = await vp('instances', '--json', ...common);
  const instances: readonly { instance_id: string; executor_status: string }[] = JSON.parse(stdout).instances;
  return instances.find(({ instance_id }) => instance_id === name)?.executor_status ?? '';
}

const readReadiness = async (): Promise<number> => (await fetch(`${url}/readyz`)).status;

async function assertConsole(expected: MachineChange['console']): Promise<void> {
  if (expected === 'executor away') await eventually(readExecutorStatus, { until: (status) => status === 'AWAY' });
  if (expected === 'not ready') await eventually(readReadiness, { until: (status) => status === 503 });
}

async function assertDiagnosed(t: Test, { doctor }: MachineChange): Promise<void> {
  if (!doctor) return;
  const { code, errors } = await diagnose();
  t.notOk(code === 0, 'exit code of doctor');
  const texts = errors.map((error) => `${error.code} ${error.message}`);
  t.ok(
    texts.some((text) => doctor.test(text)),
    `${doctor} in ${texts.join('; ')}`,
  );
}

async function assertWell(t: Test, after: string): Promise<void> {
  const { code, errors } = await diagnose();
  t.same(errors, [], `doctor finds no error after ${after}`);
  t.equal(code, 0, 'exit code of doctor');
  const runs = await vp('run', '--instance', name, ...common, '--max-time', '60s', 'RT-GET-document');
  t.equal(runs.code, 0, `${runs.stdout}${runs.stderr}`);
  t.equal(await readExecutorStatus(), 'REGISTERED');
  t.equal(await readReadiness(), 200);
  t.equal(await docker('ps', '--all', '--quiet', '--filter', 'label=vp.one-off'), '', 'no one-off container is left');
}

async function assertRepaired(t: Test, { only }: MachineChange): Promise<void> {
  if (only === 'none') {
    t.match(await onboard(), { code: 0, stdout: /^ALL SET$[\s\S]*^Nothing to do\.$/m });
    return;
  }
  const repair = only ?? pick(['onboard', 'doctor'] as const);
  t.comment(`repair by ${repair}`);
  if (repair === 'doctor') await diagnose('--fix');
  else {
    const { code, stdout, stderr } = await onboard();
    t.equal(code, 0, `${stdout}${stderr}`);
    t.match(stdout, /^ALL SET$/m);
  }
}

async function assertUnrepaired(
  t: Test,
  change: MachineChange,
  byUser: NonNullable<MachineChange['byUser']>,
): Promise<void> {
  const { code, stdout, stderr } = await onboard();
  t.equal(code, byUser.code, `${change.name}: ${stdout}${stderr}`);
  t.match(stdout + stderr, byUser.outcome);
  const { errors } = await diagnose('--fix');
  t.ok(errors.length > 0, '--fix does not hide what it cannot fix');
  await byUser.act();
  const repaired = await onboard();
  t.match(repaired, { code: 0, stdout: /^ALL SET$/m }, repaired.stderr);
}

async function assertChange(t: Test, change: MachineChange): Promise<void> {
  const startMs = Date.now();
  await change.act(t);
  await assertDiagnosed(t, change);
  await assertConsole(change.console);
  // Before anything is repaired, where nothing has to be.
  if (change.only === 'none') await assertWell(t, change.name);
  await (change.byUser ? assertUnrepaired(t, change, change.byUser) : assertRepaired(t, change));
  if (change.only !== 'none') await assertWell(t, change.name);
  t.comment(`${change.name}: ${Math.round((Date.now() - startMs) / 1000)} s`);
}

let disk: SmallDisk | undefined;

t.before(async () => {
  unmountLeftovers(name);
  await testMachine.clear();
  disk = mountSmallDisk(pathTo('.local/share/vp'), diskSizeMib);
  if (disk === undefined) throw new Error('a disk that can be filled can be mounted by root only');
  await testMachine.startTarget();
  testMachine.writeFolders();
});

t.teardown(async () => {
  await testMachine.clear();
  disk?.unmount();
  removeChanges();
  testMachine.removeHome();
});

t.test(`seed ${seed}`, { timeout: 90_000 + steps * 120_000 }, async (t) => {
  t.comment(`VP_STATE_SEED=${seed} VP_STATE_STEPS=${steps}`);
  if (disk === undefined) return t.fail('there is no disk');
  const stop = await testMachine.startControlPlane(program, port);
  t.teardown(stop);
  const first = await onboard();
  t.equal(first.code, 0, `${first.stdout}${first.stderr}`);
  const journal = JSON.parse(readFileSync(pathTo(`.local/share/vp/kits/${name}/journal.json`), 'utf8'));
  t.equal(journal.facts.product_dir, pathTo('product'), 'the usual folders are found');
  const machine = { testMachine, program, name, url, disk, onboardArgs, onboard };
  const changes = listMachineChanges(machine).filter((change) => namePattern.test(change.name));
  // Every change once before any comes again.
  let remaining: MachineChange[] = [];
  for (let step = 1; step <= steps; step += 1) {
    if (remaining.length === 0) remaining = [...changes];
    const change = pick(remaining);
    remaining = remaining.filter((other) => other !== change);
    await t.test(`${step}: ${change.name}`, (t) => assertChange(t, change));
  }
});
