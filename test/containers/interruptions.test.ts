/**
 * Ctrl-C, a closed terminal and kill -9 at every step of an onboarding and of a teardown, on a real engine: each run goes one step
 * further than the one before. What is said must be true, nothing may be left behind, and the same command ends in ALL SET, or REMOVED.
 * The seed chooses the signal and the moment in each step: `VP_INTERRUPT_SEED` chooses others.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../eventually.ts';
import { type CommandEvent, type InterruptedCommand, interruptCommand } from './interrupt-command.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type CommandOutcome, createTestMachine, image } from './test-machine.ts';

const program = resolve(process.env.VP_PROGRAM ?? 'dist/vp');
const name = 'vp-test-interrupt';
const port = 23_785;
const url = `http://127.0.0.1:${port}`;
const testMachine = createTestMachine({
  ...{ name, appPort: 23_786 },
  ignoredFiles:
    /^\.local\/share\/vp\/(control\.|\w+\.(db|position)|executors|transcripts|\w+\.key|setup-link)|^\.cache|^product\/\.gitignore$/,
});
const { call, docker, pathTo, variables, home, standing, files } = testMachine;

/** Fixed unless given: a suite that gates changes must judge each of them by the same run. */
const seed = Number(process.env.VP_INTERRUPT_SEED ?? 1);
const { pick } = createSeededRandom(seed);

const common = ['--instance-id', name, '--control-plane', url];
const onboardArgs = ['onboard', ...common, '--product-dir', 'product', '--test-dir', 'test', '--image', image];
const teardownArgs = ['teardown', ...common, '--no-sign-in'];
const vp = (...args: readonly string[]): Promise<CommandOutcome> => call(program, args);

/** The signal is sent `delayMs` after the moment: within a long step, or in one of the next steps. */
type Interruption = {
  readonly step: string;
  readonly signal: NodeJS.Signals;
  readonly moment: 'start' | 'work';
  readonly delayMs: number;
};

/** Ctrl-C more often than the others: it is what people press. */
const signals = ['SIGINT', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const;

/** Most steps take up to 100 ms, those that start containers seconds. */
const delaysMs = [0, 0, 5, 20, 60, 150, 400, 1000, 2500] as const;

const chooseInterruption = (step: string): Interruption => ({
  step,
  signal: pick(signals),
  moment: pick(['start', 'work', 'work']),
  delayMs: pick(delaysMs),
});

function describeInterruption({ step, signal, moment, delayMs }: Interruption): string {
  return `${signal} ${delayMs === 0 ? 'at' : `${delayMs} ms after`} the ${moment} of ${step}`;
}

/** `work`: when the step first says what it does, or has ended. */
function isMoment({ step, moment }: Interruption, event: CommandEvent): boolean {
  if (event.step !== step) return false;
  return moment === 'start' ? event.event === 'step_started' : event.event !== 'step_started';
}

function interrupt(args: readonly string[], interruption: Interruption): Promise<InterruptedCommand> {
  const { signal, delayMs } = interruption;
  return interruptCommand({
    ...{ program, args, env: variables, cwd: home },
    isMoment: (event) => isMoment(interruption, event),
    disturb: (child) => (delayMs === 0 ? child.kill(signal) : setTimeout(() => child.kill(signal), delayMs)),
  });
}

/** The steps of a command, by an interruption before the first one. */
async function listSteps(args: readonly string[]): Promise<readonly string[]> {
  const { events } = await interruptCommand({
    ...{ program, args, env: variables, cwd: home },
    isMoment: ({ event }) => event === 'started',
    disturb: (child) => child.kill('SIGINT'),
  });
  return events.find(({ event }) => event === 'started')?.steps?.map(({ id }) => id) ?? [];
}

type Journal = { readonly in_hand: string | null; readonly facts: { readonly registered: boolean } };

function readJournal(): Journal | undefined {
  try {
    return JSON.parse(readFileSync(pathTo(`.local/share/vp/kits/${name}/journal.json`), 'utf8'));
  } catch {
    return undefined;
  }
}

async function isRegistered(): Promise<boolean> {
  const authorization = `Bearer ${readFileSync(pathTo('.local/share/vp/owner.key'), 'utf8').trim()}`;
  const { status } = await fetch(`${url}/api/v1/instances/${name}`, { headers: { authorization } });
  if (status !== 200 && status !== 404) throw new Error(`status ${status}`);
  return status === 200;
}

const listOneOffContainers = (): Promise<string> => docker('ps', '--all', '--quiet', '--filter', 'label=vp.one-off');

/** A signal at one of the last steps may come too late. */
const hasFinished = ({ events }: InterruptedCommand): boolean => events.at(-1)?.event === 'headline';

/** What was said of the end of an onboarding is so; a killed one says nothing. */
async function assertInterruptionReported(
  t: Test,
  { signal }: Interruption,
  result: InterruptedCommand,
  earlier: Journal | undefined,
): Promise<void> {
  const end = result.events.at(-1);
  if (hasFinished(result)) {
    t.match(end, { outcome: 'ALL SET' });
    return;
  }
  t.equal(result.code, signal === 'SIGKILL' ? null : 130, result.stderr);
  if (signal === 'SIGKILL') return;
  t.match(end, { event: 'interrupted', step: String, undone: Boolean });
  const journal = readJournal();
  const started = result.events.flatMap(({ event, step }) => (event === 'step_started' ? [step] : []));
  // What a killed run had in hand stays until a run reaches it.
  const isStillInHand = earlier?.in_hand != null && !started.includes(earlier.in_hand);
  const inHand = isStillInHand ? earlier.in_hand : null;
  if (journal) t.equal(journal.in_hand, end?.undone ? inHand : end?.step, 'the next run knows where to continue');
  if (journal?.in_hand !== 'registration')
    t.equal(await isRegistered(), journal?.facts.registered ?? false, 'the journal knows what is registered');
  // The engine may have created one late, which it removes itself when that ends.
  await eventually(async () => (await listOneOffContainers()) === '', { description: 'no one-off container is left' });
  t.pass('no one-off container is left');
  const project = { instance: `platform-inst-${name}`, router: 'platform-router', observability: 'platform-obs' };
  const undone = Object.entries(project).find(([step]) => end?.undone && step === end.step)?.[1];
  if (undone === undefined || !started.includes(end?.step)) return;
  const filter = `label=com.docker.compose.project=${undone}`;
  t.equal(await docker('ps', '--all', '--quiet', '--filter', filter), '', `${undone} is undone`);
}

let stop = async (): Promise<void> => undefined;
let before: { standing: string[]; files: string[] };

t.before(async () => {
  await testMachine.clear();
  await testMachine.startTarget();
  testMachine.writeFolders();
  stop = await testMachine.startControlPlane(program, port);
  // Fetches the credential of this machine, which stays.
  await vp('instances', '--control-plane', url);
  before = { standing: await standing(), files: files() };
});

t.teardown(async () => {
  await stop();
  await testMachine.clear();
  testMachine.removeHome();
});

t.jobs = 1;

t.test(`seed ${seed}: an onboarding is interrupted at every step`, { timeout: 330_000 }, async (t) => {
  t.comment(`VP_INTERRUPT_SEED=${seed}`);
  const steps = await listSteps(onboardArgs);
  t.ok(steps.length > 15, steps.join(', '));
  let isComplete = false;
  for (const step of steps) {
    const last = step === steps.at(-1);
    const interruption = { ...chooseInterruption(step), ...(last ? { moment: 'start' as const, delayMs: 0 } : {}) };
    await t.test(describeInterruption(interruption), async (t) => {
      const earlier = readJournal();
      const result = await interrupt(onboardArgs, interruption);
      t.ok(result.isDisturbed, `${step} was reached: ${JSON.stringify(result.events.at(-1))} ${result.stderr}`);
      await assertInterruptionReported(t, interruption, result, earlier);
      isComplete ||= hasFinished(result);
    });
  }
  const doctor = await vp('doctor', '--instance', name, '--control-plane', url);
  t.equal(doctor.code, isComplete ? 0 : 1, `doctor does not call an unfinished onboarding well: ${doctor.stdout}`);
  const finished = await vp(...onboardArgs);
  t.equal(finished.code, 0, `${finished.stdout}${finished.stderr}`);
  t.match(finished.stdout, /^ALL SET$/m);
  t.match(await vp('doctor', '--instance', name, '--control-plane', url), { code: 0 });
  t.match(await vp('run', '--instance', name, '--control-plane', url, 'test'), { code: 0, stdout: /4 passed/ });
  await eventually(listOneOffContainers, { until: (ids) => ids === '', description: 'no one-off container is left' });
});

t.test(`seed ${seed}: a teardown is interrupted at every step`, { timeout: 120_000 }, async (t) => {
  const steps = await listSteps(teardownArgs);
  t.equal(steps.length, 5, steps.join(', '));
  for (const step of steps) {
    const interruption = chooseInterruption(step);
    await t.test(describeInterruption(interruption), async (t) => {
      const result = await interrupt(teardownArgs, interruption);
      t.ok(result.isDisturbed, `${step} was reached: ${JSON.stringify(result.events.at(-1))} ${result.stderr}`);
      if (interruption.signal === 'SIGKILL') return;
      // The last steps take milliseconds, and after them there is nothing to interrupt: a signal then ends what has reported.
      const outcome = result.code === 130 ? 'INTERRUPTED' : 'REMOVED';
      t.match(result.events.at(-1), { outcome, exit_code: result.code ?? 0 });
    });
  }
  const finished = await vp(...teardownArgs);
  t.equal(finished.code, 0, `${finished.stdout}${finished.stderr}`);
  t.match(finished.stdout, new RegExp(`^REMOVED: ${name}$`, 'm'));
  t.notOk(await isRegistered());
  const isShared = (line: string): boolean => /platform-obs/.test(line);
  t.same(
    (await standing()).filter((line) => !isShared(line)),
    before.standing.filter((line) => !isShared(line)),
  );
  t.same(files(), before.files, 'the folders are as before');
});
