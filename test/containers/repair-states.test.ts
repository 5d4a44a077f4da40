/**
 * Random changes to a real engine and its machine; after each, onboarding and doctor must tell the truth, and one of them must repair
 * it, or say what only the user can. `VP_STATE_SEED` chooses another order, `VP_STATE_STEPS` sets its length (default 4, in under 4 minutes);
 * more than 10 need `TAP_TIMEOUT=900 node --import ./test/tsx-hook.mjs` with this file, without the time limit of the runner.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../eventually.ts';
import { type CommandOutcome, createTestMachine, image, secrets } from './test-machine.ts';

const program = resolve(process.env.VP_PROGRAM ?? 'dist/vp');
const name = 'vp-test-states';
const port = 23_791;
const url = `http://127.0.0.1:${port}`;
const testMachine = createTestMachine({ name, appPort: 23_792 });
const { call, docker, compose, pathTo, variables, home } = testMachine;
const [project, app] = [`platform-inst-${name}`, `${name}-app-1`];
const [executor, reader] = [`${project}-executor-1`, `${project}-log-reader-1`];

/** Fixed unless given: a suite that gates changes must judge each of them by the same run. */
const seed = Number(process.env.VP_STATE_SEED ?? 204_795);
const steps = Number(process.env.VP_STATE_STEPS ?? 4);

/** Mulberry32: the same numbers for the same seed. */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
const random = createRandom(seed);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

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

const writeToken = (token: string): void =>
  writeFileSync(pathTo('product/.env'), `API_TOKEN=${token}\nDATABASE_PASSWORD=${secrets.reader}\n`);

async function startApp(): Promise<void> {
  await docker('start', app);
  await eventually(() => docker('inspect', '--format', '{{.State.Health.Status}}', app), {
    timeoutMs: 60_000,
    until: (status) => status.trim() === 'healthy',
    description: 'the target is healthy',
  });
}

/** Interrupts an onboarding that has something to do, at the step `title`. */
async function interruptAt(title: RegExp): Promise<void> {
  appendFileSync(pathTo('product/platform-config.yaml'), '# changed\n');
  const child = spawn(program, onboardArgs, { env: variables, cwd: home, stdio: ['ignore', 'pipe', 'ignore'] });
  let [output, isSent] = ['', false];
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
    if (!isSent && title.test(output)) isSent = child.kill('SIGINT');
  });
  await once(child, 'close');
}

/** `doctor`: what it must report. `only`: the repair that must suffice; else one of both at random. `byUser`: what no command can. */
type Change = {
  readonly name: string;
  act(): Promise<unknown>;
  readonly doctor?: RegExp;
  readonly only?: 'onboard';
  readonly byUser?: { readonly outcome: RegExp; act(): Promise<unknown> };
};

const changes: readonly Change[] = [
  { name: 'executor stopped', act: () => docker('stop', '--time', '1', executor), doctor: /^CONTAINER_STOPPED/ },
  { name: 'executor killed', act: () => docker('kill', executor), doctor: /^CONTAINER_STOPPED.*exited \(137\)/ },
  { name: 'executor paused', act: () => docker('pause', executor), doctor: /^CONTAINER_STOPPED.*paused/ },
  { name: 'executor removed', act: () => docker('rm', '--force', executor), doctor: /^CONTAINER_ABSENT.*executor/ },
  { name: 'log reader killed', act: () => docker('kill', reader), doctor: /^CONTAINER_STOPPED.*log-reader/ },
  { name: 'router removed', act: () => docker('rm', '--force', 'platform-router'), doctor: /^PROJECT_ABSENT.*router/ },
  {
    name: 'dashboard killed',
    act: () => docker('kill', 'platform-obs-dashboard-1'),
    doctor: /^CONTAINER_STOPPED.*dashboard/,
  },
  {
    name: 'executor detached from the target',
    act: () => docker('network', 'disconnect', name, executor),
    doctor: /^EXECUTOR_OFF_NETWORK/,
  },
  {
    name: 'executor detached from the platform',
    act: () => docker('network', 'disconnect', 'platform-obs', executor),
    doctor: /^EXECUTOR_OFF_NETWORK/,
  },
  {
    name: 'network of the target made anew',
    async act() {
      await docker('network', 'disconnect', '--force', name, executor);
      await compose('down', '--timeout', '1');
      await compose('up', '--detach', '--wait');
    },
    doctor: /^EXECUTOR_OFF_NETWORK/,
  },
  {
    name: 'config changed',
    act: async () => appendFileSync(pathTo('product/platform-config.yaml'), '# changed\n'),
    only: 'onboard',
  },
  {
    name: 'containers and volumes of the instance removed',
    act: () => call('docker', ['compose', '--project-name', project, 'down', '--volumes', '--timeout', '1']),
    doctor: /^PROJECT_ABSENT/,
    only: 'onboard',
  },
  {
    name: 'token refused',
    async act() {
      writeToken('anotherToken123456');
      await onboard();
    },
    doctor: /^TARGET_REFUSED.*401/,
    byUser: { outcome: /^PARTIALLY SET: the target answered 401 /m, act: async () => writeToken(secrets.api) },
  },
  {
    name: 'target stopped',
    act: () => docker('stop', '--time', '1', app),
    doctor: /^TARGET_STOPPED/,
    byUser: { outcome: /^PARTIALLY SET: the target does not run: container /m, act: startApp },
  },
  {
    name: 'Ctrl-C while the connection is searched',
    act: () => interruptAt(/✓ image/),
    only: 'onboard',
  },
  {
    name: 'Ctrl-C while the executor is started',
    act: () => interruptAt(/✓ config and keys of the executor/),
    only: 'onboard',
  },
];

async function assertWell(t: Test, after: string): Promise<void> {
  const { code, errors } = await diagnose();
  t.same(errors, [], `doctor finds no error after ${after}`);
  t.equal(code, 0, 'exit code of doctor');
  const runs = await vp('run', '--instance', name, ...common, '--max-time', '60s', 'RT-GET-document');
  t.equal(runs.code, 0, `${runs.stdout}${runs.stderr}`);
  t.equal(await docker('ps', '--all', '--quiet', '--filter', 'label=vp.one-off'), '', 'no one-off container is left');
}

async function assertRepaired(t: Test, change: Change): Promise<void> {
  const repair = change.only ?? pick(['onboard', 'doctor'] as const);
  t.comment(`repair by ${repair}`);
  if (repair === 'doctor') await diagnose('--fix');
  else {
    const { code, stdout, stderr } = await onboard();
    t.equal(code, 0, `${stdout}${stderr}`);
    t.match(stdout, /^ALL SET$/m);
  }
}

async function assertTold(t: Test, change: Change, { outcome, act }: NonNullable<Change['byUser']>): Promise<void> {
  const result = await onboard();
  t.equal(result.code, 1, `${change.name}: ${result.stdout}${result.stderr}`);
  t.match(result.stdout, outcome);
  const { errors } = await diagnose('--fix');
  t.ok(errors.length > 0, '--fix does not hide what it cannot fix');
  await act();
  t.match(await onboard(), { code: 0, stdout: /^ALL SET$/m });
}

t.before(async () => {
  await testMachine.clear();
  await testMachine.startTarget();
  testMachine.writeFolders();
});

t.teardown(async () => {
  await testMachine.clear();
  testMachine.removeHome();
});

t.test(`seed ${seed}`, { timeout: 90_000 + steps * 120_000 }, async (t) => {
  t.comment(`VP_STATE_SEED=${seed} VP_STATE_STEPS=${steps}`);
  const stop = await testMachine.startControlPlane(program, port);
  t.teardown(stop);
  const first = await onboard();
  t.equal(first.code, 0, `${first.stdout}${first.stderr}`);
  const journal = JSON.parse(readFileSync(pathTo(`.local/share/vp/kits/${name}/journal.json`), 'utf8'));
  t.equal(journal.facts.product_dir, pathTo('product'), 'the usual folders are found');
  // Every change once before any comes again.
  let remaining: Change[] = [];
  for (let step = 1; step <= steps; step += 1) {
    if (remaining.length === 0) remaining = [...changes];
    const change = pick(remaining);
    remaining = remaining.filter((other) => other !== change);
    await t.test(`${step}: ${change.name}`, async (t) => {
      const startMs = Date.now();
      await change.act();
      if (change.doctor) {
        const { code, errors } = await diagnose();
        t.notOk(code === 0, 'exit code of doctor');
        const texts = errors.map((error) => `${error.code} ${error.message}`);
        t.ok(
          texts.some((text) => change.doctor?.test(text)),
          `${change.doctor} in ${texts.join('; ')}`,
        );
      }
      await (change.byUser ? assertTold(t, change, change.byUser) : assertRepaired(t, change));
      await assertWell(t, change.name);
      t.comment(`${change.name}: ${Math.round((Date.now() - startMs) / 1000)} s`);
    });
  }
});
