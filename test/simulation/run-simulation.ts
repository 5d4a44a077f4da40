/**
 * Runs schedules until one fails:
 *
 *     npm run test:simulation                     for a minute
 *     npm run test:simulation -- --minutes 60     longer
 *     npm run test:simulation -- --from 5000      beginning with another seed
 *     npm run test:simulation -- --seed 28        one schedule, with its trace; a failing one is made smaller first
 *     npm run test:simulation -- --mutations      how many schedules find each mutation of mutations.ts
 */
import { parseArgs } from 'node:util';
import { mutations } from './mutations.ts';
import { findMutation, openSimulation, type Simulation } from './simulation.ts';

/** A mutation that so many schedules do not find is not found. */
const maxSchedules = 2000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '1' },
    'keep-going': { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
  },
});

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints the schedule of one seed. */
async function replay(simulation: Simulation, seed: number): Promise<void> {
  const plan = simulation.createPlan(seed);
  const { violations } = await simulation.play(plan);
  const replayed = violations.length === 0 ? plan : await simulation.shrink(plan);
  const { trace } = await simulation.play(replayed);
  write(trace.join('\n'));
  write(`seed ${seed}: ${violations.length === 0 ? 'everything holds' : violations.join('; ')}`);
  if (violations.length > 0) write(`(${replayed.actions.length} of ${plan.actions.length} actions are left)`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

/** Prints the first seed that fails, or how many schedules there were. */
async function explore(simulation: Simulation, from: number, minutes: number): Promise<void> {
  const startMs = performance.now();
  const elapsedSeconds = (): number => (performance.now() - startMs) / 1000;
  let [seed, requests, failures] = [from, 0, 0];
  for (; elapsedSeconds() < minutes * 60; seed += 1) {
    const result = await simulation.play(simulation.createPlan(seed));
    requests += result.requests;
    if (result.violations.length === 0) continue;
    failures += 1;
    write(`seed ${seed}: ${result.violations.join('; ')}`);
    write(`replay it with: npm run test:simulation -- --seed ${seed}`);
    if (!values['keep-going']) break;
  }
  const rate = ((seed - from) / elapsedSeconds()).toFixed(1);
  write(`${seed - from} schedules, ${rate} a second, ${requests} requests at the target, ${failures} failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

async function tryMutations(from: number): Promise<void> {
  for (const mutation of mutations) {
    const found = await findMutation(mutation, from, maxSchedules);
    if (!found) process.exitCode = 1;
    const result = found ? `seed ${found.seed}, schedule ${found.seed - from + 1}` : `not in ${maxSchedules} schedules`;
    write(`${mutation.name.padEnd(60)} ${result}`);
  }
}

if (values.mutations) {
  await tryMutations(Number(values.from));
  process.exit();
}
const simulation = await openSimulation();
try {
  if (values.seed === undefined) await explore(simulation, Number(values.from), Number(values.minutes));
  else await replay(simulation, Number(values.seed));
} finally {
  simulation.close();
}
