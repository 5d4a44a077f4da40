/** `vp run --local`: everything in this process. Its start is measured: imports here are what it needs, no more. */
import { join, resolve } from 'node:path';
import { type LocalRuns, localInstance, localRuns } from '../../assemble/local-runs.ts';
import type { Environment } from '../../environment/environment.ts';
import { configOrThrow, type LoadedProject, loadProject } from '../../project/load.ts';
import { problemText } from '../../project/problem.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { UnfinishedRun } from '../../report/results.ts';
import type { UsableFile } from '../read-scenarios.ts';
import { exists } from '../scenario-files.ts';
import { selectLocal } from './select-local.ts';
import type { RunSession } from './session.ts';
import type { Selection } from './words.ts';

/** The flags of `--local`. */
export type LocalFlags = {
  readonly productDir: string | undefined;
  readonly testDir: string | undefined;
  readonly baseUrl: string | undefined;
  readonly ca: string | undefined;
  readonly log: string | undefined;
  readonly jobs: number;
};

/** Runs the selection; resolves when all runs have ended, or those under way after an interrupt. */
export async function runLocally(selection: Selection, flags: LocalFlags, session: RunSession): Promise<void> {
  const { environment, json } = session;
  const project = await projectOf(flags, session);
  const placeholders = project.names;
  const files = await selectLocal({ ...selection, testDir: flags.testDir, placeholders, json }, environment);
  const { clock, random } = environment;
  const extraRoots = await rootsOf(flags.ca, environment);
  const witnesses = await witnessesOf(flags, project, extraRoots, environment);
  const runs = localRuns({ project, clock, random, extraRoots, witnesses });
  try {
    await runAll(runs, files, flags.jobs, session);
  } finally {
    runs.close();
    await witnesses?.close();
  }
}

/** Loaded where there is something to look at only. */
async function witnessesOf(
  { log: logFrom }: LocalFlags,
  project: ProjectConfig,
  extraRoots: readonly string[],
  environment: Environment,
) {
  if (logFrom === undefined && !project.targets.database) return undefined;
  const { openWitnesses } = await import('../../assemble/witnesses.ts');
  return await openWitnesses({ environment, project, logFrom, extraRoots });
}

async function projectOf({ productDir, baseUrl }: LocalFlags, { environment, json }: RunSession) {
  const folder = productDir ?? productFolder(environment.cwd);
  const loaded = await loadProject(fromCwd(folder, environment), { use: 'local', baseUrl });
  if (!json) tellWarnings(loaded, environment);
  return configOrThrow(loaded);
}

/** The current folder where it has a config, else `product` below it. */
function productFolder(cwd: string): string {
  return !exists('platform-config.yaml', cwd) && exists(join('product', 'platform-config.yaml'), cwd) ? 'product' : '.';
}

/** The folder as it was named, where that means the same to this process. */
function fromCwd(folder: string, { cwd }: Environment): string {
  const absolute = resolve(cwd, folder);
  return resolve(folder) === absolute ? folder : absolute;
}

function tellWarnings({ config, problems }: LoadedProject, { streams }: Environment): void {
  if (!config) return;
  for (const problem of problems) streams.stderr.write(`${problemText(problem)}\n\n`);
}

async function rootsOf(ca: string | undefined, { cwd }: Environment): Promise<readonly string[]> {
  return ca === undefined ? [] : (await import('../../outbound/tls-roots.ts')).readCertificates(resolve(cwd, ca));
}

async function runAll(runs: LocalRuns, files: readonly UsableFile[], jobs: number, session: RunSession): Promise<void> {
  const { gathering, teller, progress, signal } = session;
  for (const { file, text, scenario } of files) gathering.sources.set(scenario.id, { file, text });
  const { prove } = gathering.plan;
  const scenarios = files.map(({ scenario, text }) => ({ id: scenario.id, text, prove }));
  const total = gathering.plan.sets * scenarios.length;
  gathering.begin(total);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < total && !signal.aborted) {
      const place = next++;
      const scenario = scenarios[place % scenarios.length];
      if (!scenario) return;
      progress.tell(`${gathering.tally.total} of ${total} runs ended, running ${scenario.id}`);
      const report = await runs.execute(scenario, signal);
      gathering.add(place, report);
      teller.ended(report);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, total) }, work));
  gathering.unfinished = notRun(scenarios, next, total);
}

function notRun(scenarios: readonly { id: string }[], from: number, total: number): UnfinishedRun[] {
  const left = Array.from(
    { length: total - from },
    (_, index) => scenarios[(from + index) % scenarios.length]?.id ?? '',
  );
  return left.map((scenarioId) => ({
    scenarioId,
    instance: localInstance,
    runId: undefined,
    state: 'not_requested',
    hint: 'not run',
  }));
}
