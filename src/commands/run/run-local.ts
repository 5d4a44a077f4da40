/** `vp run --local`: everything in this process. Its start time is measured, so import only what every run needs. */
import { resolve } from 'node:path';
import { createLocalRuns, type LocalRuns, localInstance } from '../../assemble/executor/local-runs.ts';
import type { Environment } from '../../environment/environment.ts';
import { divideIntoShards } from '../../insight/shard-plan.ts';
import { formatConfigProblem } from '../../project/config-problem.ts';
import { type LoadedProject, loadProject, requireConfig } from '../../project/load-project.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { RunStop, UnfinishedRun } from '../../report/results.ts';
import { guessProductFolder, resolveFromCwd } from '../authoring/placeholders.ts';
import type { UsableFile } from '../scenarios/read-scenarios.ts';
import { parseShard } from './run-flags.ts';
import { explainUnfinishedRun, type RunSession } from './run-session.ts';
import { selectLocal } from './select-local.ts';
import type { Selection } from './selection.ts';

export type LocalFlags = {
  readonly productDir: string | undefined;
  readonly testDir: string | undefined;
  readonly baseUrl: string | undefined;
  readonly grpcBaseUrl?: string | undefined;
  readonly ca: string | undefined;
  readonly log: string | undefined;
  readonly jobs: number;
  readonly shard?: string | undefined;
  readonly retries?: number | undefined;
};

/** Fewer end before the garbage of others takes memory. */
const manyRuns = 100;

/** Resolves when all runs have ended; after an interrupt, when those in progress have ended. */
export async function runLocally(selection: Selection, flags: LocalFlags, session: RunSession): Promise<void> {
  const { environment, json } = session;
  const project = await loadProjectConfig(flags, session);
  const placeholders = project.names;
  const all = await selectLocal({ ...selection, testDir: flags.testDir, placeholders, json }, environment);
  const files = selectShard(
    session.history.narrow(all, ({ scenario }) => scenario.id),
    flags.shard,
    session,
  );
  if (session.collector.isEmptyShard) return;
  const { clock, random } = environment;
  const extraRoots = await readRoots(flags.ca, environment);
  const evidenceSources = await openEvidence(flags, project, extraRoots, environment);
  const runs = createLocalRuns({ project, clock, random, extraRoots, evidenceSources });
  try {
    await runAll(runs, files, flags, session);
  } finally {
    runs.close();
    await evidenceSources?.close();
  }
}

/** Loaded only if there is a log or a database. */
async function openEvidence(
  { log: logFrom }: LocalFlags,
  project: ProjectConfig,
  extraRoots: readonly string[],
  environment: Environment,
) {
  if (logFrom === undefined && !project.targets.database) return undefined;
  const { openEvidenceSources: openWitnesses } = await import('../../assemble/executor/evidence-sources.ts');
  return await openWitnesses({ environment, project, logSource: logFrom, extraRoots });
}

/** Throws CONFIG_*. */
export async function loadProjectConfig(
  { productDir, baseUrl, grpcBaseUrl }: Pick<LocalFlags, 'productDir' | 'baseUrl' | 'grpcBaseUrl'>,
  { environment, json }: Pick<RunSession, 'environment' | 'json'>,
): Promise<ProjectConfig> {
  const folder = productDir ?? guessProductFolder(environment.cwd);
  const options = { use: 'local', baseUrl, grpcBaseUrl } as const;
  const loaded = await loadProject(resolveFromCwd(folder, environment.cwd), options);
  if (!json) printWarnings(loaded, environment);
  return requireConfig(loaded);
}

function printWarnings({ config, problems }: LoadedProject, { streams }: Environment): void {
  if (!config) return;
  for (const problem of problems) streams.stderr.write(`${formatConfigProblem(problem)}\n\n`);
}

async function readRoots(ca: string | undefined, { cwd }: Environment): Promise<readonly string[]> {
  return ca === undefined ? [] : (await import('../../outbound/tls-roots.ts')).readCertificates(resolve(cwd, ca));
}

/** Nothing is known of how long they take: parts have the same number of scenarios. */
function selectShard(files: readonly UsableFile[], flag: string | undefined, session: RunSession) {
  const shard = parseShard(flag);
  if (!shard) return files;
  const ids = files.map(({ scenario }) => scenario.id);
  const own = new Set(divideIntoShards(ids, shard.count, new Map())[shard.index - 1]);
  const part = files.filter(({ scenario }) => own.has(scenario.id));
  const note = `shard ${shard.index} of ${shard.count} has ${part.length} of ${files.length} scenarios`;
  session.environment.streams.stderr.write(`vp: ${note}\n`);
  session.collector.isEmptyShard = part.length === 0;
  return part;
}

async function runAll(
  runs: LocalRuns,
  files: readonly UsableFile[],
  { jobs, retries = 0 }: LocalFlags,
  session: RunSession,
): Promise<void> {
  const { collector, signal, environment } = session;
  for (const { file, text, scenario } of files) collector.sources.set(scenario.id, { file, text });
  const { prove } = collector.plan;
  const scenarios = files.map(({ scenario, text }) => ({ id: scenario.id, text, prove }));
  const total = collector.plan.sets * scenarios.length;
  collector.start(total);
  if (jobs > 1 && total >= manyRuns) (await import('../../environment/young-generation.ts')).freezeYoungGeneration();
  if (total < manyRuns) (await import('../../environment/webassembly-tiers.ts')).keepBaselineWebAssembly();
  const next = await runPositions(runs, scenarios, { jobs, total }, session);
  // Until a failure, what was not started is nobody's loss.
  const isOver = collector.plan.untilFail && collector.stop !== undefined && collector.tally.total > 0;
  collector.unfinished = isOver ? [] : listNotRun(scenarios, next, total, collector.stop);
  for (let attempt = 1; attempt <= retries && !signal.aborted && !collector.stop; attempt += 1) {
    const positions = collector.listNotPassed();
    if (positions.length === 0) return;
    const count = positions.length === 1 ? '1 run' : `${positions.length} runs`;
    environment.streams.stderr.write(`vp: retry ${attempt} of ${retries}: ${count} did not pass\n`);
    await runPositions(runs, scenarios, { jobs, total: positions.length, positions }, session);
  }
}

type LocalRound = {
  readonly jobs: number;
  readonly total: number;
  /** Those that are retried. */
  readonly positions?: readonly number[];
};

/** Returns how many were started. */
async function runPositions(
  runs: LocalRuns,
  scenarios: readonly { readonly id: string; readonly text: string; readonly prove: boolean | undefined }[],
  { jobs, total, positions }: LocalRound,
  { collector, output, progress, signal }: RunSession,
): Promise<number> {
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < total && !signal.aborted && !collector.stop) {
      const turn = next++;
      const position = positions?.[turn] ?? turn;
      const scenario = scenarios[position % scenarios.length];
      if (!scenario) return;
      progress.update(`${collector.tally.total} of ${total} runs ended, running ${scenario.id}`);
      const report = await runs.execute(scenario, signal);
      if (positions) collector.retry(position);
      collector.add(position, report);
      output.onRunEnded(report);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, total) }, runNext));
  return next;
}

function listNotRun(
  scenarios: readonly { id: string }[],
  from: number,
  total: number,
  stop: RunStop | undefined,
): UnfinishedRun[] {
  const scenarioIds = Array.from(
    { length: total - from },
    (_, index) => scenarios[(from + index) % scenarios.length]?.id ?? '',
  );
  return scenarioIds.map((scenarioId) => ({
    scenarioId,
    instance: localInstance,
    runId: undefined,
    state: 'not_requested',
    ...explainUnfinishedRun(stop),
  }));
}
