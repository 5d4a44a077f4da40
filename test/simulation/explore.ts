/** Plays schedules one after the other, in one process or in several. */
import { type ChildProcess, fork } from 'node:child_process';
import { openSimulation, type Simulation } from './simulation.ts';

/** Seeds `from`, `from + step`, …; `stopsAtFailure`: the first failure ends it; `countsAwaits` takes several times as long. */
export type ExploreOptions = {
  readonly from: number;
  readonly step: number;
  readonly minutes: number;
  readonly stopsAtFailure: boolean;
  readonly countsAwaits: boolean;
};

export type ExploreResult = {
  readonly schedules: number;
  readonly requests: number;
  readonly failures: number;
  /** How often each fault happened. */
  readonly faults: Readonly<Record<string, number>>;
  /** The awaits in src/ that schedules passed, and those at which a process crashed. */
  readonly passedAwaits: readonly string[];
  readonly crashedAwaits: readonly string[];
};

const nothing: ExploreResult = {
  ...{ schedules: 0, requests: 0, failures: 0, faults: {} },
  ...{ passedAwaits: [], crashedAwaits: [] },
};

function unite(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}

function add(a: ExploreResult, b: ExploreResult): ExploreResult {
  const faults = { ...a.faults };
  for (const [name, count] of Object.entries(b.faults)) faults[name] = (faults[name] ?? 0) + count;
  return {
    schedules: a.schedules + b.schedules,
    requests: a.requests + b.requests,
    failures: a.failures + b.failures,
    faults,
    passedAwaits: unite(a.passedAwaits, b.passedAwaits),
    crashedAwaits: unite(a.crashedAwaits, b.crashedAwaits),
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
  const positions = options.countsAwaits ? simulation.recordAwaitPositions() : undefined;
  let total = nothing;
  for (let seed = options.from; performance.now() < endMs; seed += options.step) {
    const { requests, violations, faults } = await simulation.play(simulation.createPlan(seed));
    const counts: Record<string, number> = {};
    for (const name of faults) counts[name] = (counts[name] ?? 0) + 1;
    const hasFailed = violations.length > 0;
    total = add(total, { ...nothing, schedules: 1, requests, failures: hasFailed ? 1 : 0, faults: counts });
    if (hasFailed) reportFailure(seed, violations);
    if (hasFailed && options.stopsAtFailure) break;
  }
  positions?.stop();
  const [passed, crashed] = [positions?.passed.keys() ?? [], positions?.crashed.keys() ?? []];
  return { ...total, passedAwaits: [...passed], crashedAwaits: [...crashed] };
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
