/** Plays schedules one after the other, in one process or in several. */
import { type ChildProcess, fork } from 'node:child_process';
import { openSimulation, type Simulation } from './simulation.ts';

/** Seeds `from`, `from + step`, …; `stopsAtFailure`: the first failure ends it. */
export type ExploreOptions = {
  readonly from: number;
  readonly step: number;
  readonly minutes: number;
  readonly stopsAtFailure: boolean;
};

export type ExploreResult = {
  readonly schedules: number;
  readonly requests: number;
  readonly failures: number;
  /** How often each fault happened. */
  readonly faults: Readonly<Record<string, number>>;
};

const nothing: ExploreResult = { schedules: 0, requests: 0, failures: 0, faults: {} };

function add(a: ExploreResult, b: ExploreResult): ExploreResult {
  const faults = { ...a.faults };
  for (const [name, count] of Object.entries(b.faults)) faults[name] = (faults[name] ?? 0) + count;
  return {
    schedules: a.schedules + b.schedules,
    requests: a.requests + b.requests,
    failures: a.failures + b.failures,
    faults,
  };
}

/** At once: a long exploration may be ended from outside. */
function reportFailure(seed: number, violations: readonly string[]): void {
  process.stdout.write(
    `seed ${seed}: ${violations.join('; ')}\nreplay it with: npm run test:simulation -- --seed ${seed}\n`,
  );
}

async function explore(simulation: Simulation, options: ExploreOptions): Promise<ExploreResult> {
  const endMs = performance.now() + options.minutes * 60_000;
  let total = nothing;
  for (let seed = options.from; performance.now() < endMs; seed += options.step) {
    const { requests, violations, faults } = await simulation.play(simulation.createPlan(seed));
    const counts: Record<string, number> = {};
    for (const name of faults) counts[name] = (counts[name] ?? 0) + 1;
    const hasFailed = violations.length > 0;
    total = add(total, { schedules: 1, requests, failures: hasFailed ? 1 : 0, faults: counts });
    if (hasFailed) reportFailure(seed, violations);
    if (hasFailed && options.stopsAtFailure) break;
  }
  return total;
}

/** In this process: only one schedule can be played at a time. */
export async function exploreHere(options: ExploreOptions): Promise<ExploreResult> {
  const simulation = await openSimulation();
  try {
    return await explore(simulation, options);
  } finally {
    simulation.close();
  }
}

/** A process for every `jobs`-th seed. */
export async function exploreInProcesses(jobs: number, options: ExploreOptions): Promise<ExploreResult> {
  const children: ChildProcess[] = [];
  const play = (job: number): Promise<ExploreResult> =>
    new Promise((resolve, reject) => {
      const child = fork(new URL(import.meta.url));
      children.push(child);
      child.once('message', (result: ExploreResult) => resolve(result));
      child.once('exit', (code) => reject(new Error(`a process of the simulation ended with ${code}`)));
      child.send({ ...options, from: options.from + job, step: jobs });
    });
  try {
    const results = await Promise.all(Array.from({ length: jobs }, (_, job) => play(job)));
    return results.reduce(add, nothing);
  } finally {
    for (const child of children) child.kill();
  }
}

if (process.send && process.argv[1] === import.meta.filename)
  process.once('message', (options: ExploreOptions) => {
    void exploreHere(options).then((result) => process.send?.(result, () => process.exit()));
  });
