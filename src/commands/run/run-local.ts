/** `vp run --local`: everything in this process. Its start time is measured, so import only what every run needs. */
import { resolve } from 'node:path';
import { createLocalRuns, type LocalRuns, localInstance } from '../../assemble/executor/local-runs.ts';
import type { Environment } from '../../environment/environment.ts';
import { formatConfigProblem } from '../../project/config-problem.ts';
import { type LoadedProject, loadProject, requireConfig } from '../../project/load-project.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { RunStop, UnfinishedRun } from '../../report/results.ts';
import { findProductFolder, resolveFromCwd } from '../authoring/placeholders.ts';
import type { UsableFile } from '../scenarios/read-scenarios.ts';
import { explainUnfinishedRun, type RunSession } from './run-session.ts';
import { selectLocal } from './select-local.ts';
import type { Selection } from './selection.ts';

export type LocalFlags = {
  readonly productDir: string | undefined;
  readonly testDir: string | undefined;
  readonly baseUrl: string | undefined;
  readonly ca: string | undefined;
  readonly log: string | undefined;
  readonly jobs: number;
};

/** Resolves when all runs have ended; after an interrupt, when those in progress have ended. */
export async function runLocally(selection: Selection, flags: LocalFlags, session: RunSession): Promise<void> {
  const { environment, json } = session;
  const project = await loadProjectConfig(flags, session);
  const placeholders = project.names;
  const all = await selectLocal({ ...selection, testDir: flags.testDir, placeholders, json }, environment);
  const files = session.history.narrow(all, ({ scenario }) => scenario.id);
  const { clock, random } = environment;
  const extraRoots = await readRoots(flags.ca, environment);
  const evidenceSources = await openEvidence(flags, project, extraRoots, environment);
  const runs = createLocalRuns({ project, clock, random, extraRoots, evidenceSources });
  try {
    await runAll(runs, files, flags.jobs, session);
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
  { productDir, baseUrl }: Pick<LocalFlags, 'productDir' | 'baseUrl'>,
  { environment, json }: Pick<RunSession, 'environment' | 'json'>,
): Promise<ProjectConfig> {
  const folder = productDir ?? findProductFolder(environment.cwd) ?? '.';
  const loaded = await loadProject(resolveFromCwd(folder, environment.cwd), { use: 'local', baseUrl });
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

async function runAll(runs: LocalRuns, files: readonly UsableFile[], jobs: number, session: RunSession): Promise<void> {
  const { collector, output, progress, signal } = session;
  for (const { file, text, scenario } of files) collector.sources.set(scenario.id, { file, text });
  const { prove } = collector.plan;
  const scenarios = files.map(({ scenario, text }) => ({ id: scenario.id, text, prove }));
  const total = collector.plan.sets * scenarios.length;
  collector.start(total);
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < total && !signal.aborted && !collector.stop) {
      const position = next++;
      const scenario = scenarios[position % scenarios.length];
      if (!scenario) return;
      progress.update(`${collector.tally.total} of ${total} runs ended, running ${scenario.id}`);
      const report = await runs.execute(scenario, signal);
      collector.add(position, report);
      output.onRunEnded(report);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, total) }, runNext));
  collector.unfinished = listNotRun(scenarios, next, total, collector.stop);
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
