/**
 * Runs schedules until one fails:
 *
 *     npm run test:simulation                     for a minute
 *     npm run test:simulation -- --minutes 60     longer
 *     npm run test:simulation -- --from 5000      beginning with another seed
 *     npm run test:simulation -- --jobs 1         in one process, instead of one for each core
 *     npm run test:simulation -- --seed 28        one schedule, with its trace; a failing one is made smaller first
 *     npm run test:simulation -- --awaits         slower; then at how many awaits of src/ processes crashed
 *     npm run test:simulation -- --mutations      how many schedules find each mutation of mutations.ts
 *     npm run test:simulation -- --without 'a hello' --seed 29    one schedule without a protection, by a part of its name
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { exploreHere, exploreInProcesses } from './explore.ts';
import { type Mutation, mutations } from './mutations.ts';
import { findMutation, openSimulation, type Simulation } from './simulation.ts';
import type { FaultKind } from './world/plan.ts';

/** A mutation that so many schedules do not find is not found. */
const maxSchedules = 2000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    'keep-going': { type: 'boolean', default: false },
    awaits: { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
    without: { type: 'string' },
  },
});

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints the schedule of one seed, with faults of these kinds. */
async function replay(simulation: Simulation, seed: number, faults?: readonly FaultKind[]): Promise<void> {
  const plan = simulation.createPlan(seed, faults);
  const { violations } = await simulation.play(plan);
  const replayed = violations.length === 0 ? plan : await simulation.shrink(plan);
  const { trace } = await simulation.play(replayed);
  write(trace.join('\n'));
  write(`seed ${seed}: ${violations.length === 0 ? 'everything holds' : violations.join('; ')}`);
  if (violations.length > 0) write(`(${replayed.actions.length} of ${plan.actions.length} actions are left)`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

/** Prints how many schedules there were, and what happened in them. */
async function explore(from: number, minutes: number, jobs: number): Promise<void> {
  const options = { from, step: 1, minutes, stopsAtFailure: !values['keep-going'], countsAwaits: values.awaits };
  const startMs = performance.now();
  const result = jobs > 1 ? await exploreInProcesses(jobs, options) : await exploreHere(options);
  const rate = ((result.schedules * 1000) / (performance.now() - startMs)).toFixed(1);
  const faults = Object.entries(result.faults).map(([name, count]) => `${count} ${name}`);
  write(`faults: ${faults.toSorted().join('; ')}`);
  const { passedAwaits, crashedAwaits } = result;
  if (values.awaits) write(`crashes at ${crashedAwaits.length} of ${passedAwaits.length} awaits`);
  const { schedules, requests, failures } = result;
  const processes = jobs > 1 ? ` in ${jobs} processes` : '';
  write(`${schedules} schedules, ${rate} a second${processes}, ${requests} requests at the target, ${failures} failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

function findByName(part: string): Mutation {
  const mutation = mutations.find(({ name }) => name.includes(part));
  if (!mutation) throw new Error(`no protection has "${part}" in its name`);
  return mutation;
}

async function tryMutations(from: number): Promise<void> {
  for (const mutation of mutations) {
    const detection = await findMutation(mutation, from, maxSchedules);
    if (!detection) process.exitCode = 1;
    const result = detection
      ? `seed ${detection.seed}, schedule ${detection.seed - from + 1}`
      : `not in ${maxSchedules} schedules`;
    write(`${mutation.name.padEnd(60)} ${result}`);
  }
}

if (values.mutations) {
  await tryMutations(Number(values.from));
  process.exit();
}
if (values.seed === undefined) {
  await explore(Number(values.from), Number(values.minutes), Number(values.jobs));
} else {
  const mutation = values.without === undefined ? undefined : findByName(values.without);
  const simulation = await openSimulation(mutation);
  await replay(simulation, Number(values.seed), mutation?.faults).finally(() => simulation.close());
}
