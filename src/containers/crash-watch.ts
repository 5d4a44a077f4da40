/**
 * Finds a container that the engine starts again and again: compose waits for it as long as it may, and then says only that the
 * time is over.
 */
import { systemClock } from '../environment/clock.ts';
import { pollUntil } from '../timing/poll.ts';
import { describeContainer, listProjectContainers, readLastLogLines } from './containers.ts';
import type { ContainerEngine } from './engine.ts';

/** The values of CONTAINER_CRASH_LOOP. */
export type CrashLoop = {
  readonly container: string;
  readonly name: string;
  readonly program: string;
  readonly restarts: number;
  readonly exit_code: string;
  readonly log: string;
};

type RestartState = { readonly restarts: number; readonly isRunning: boolean; readonly exitCode: string };

const pauseMs = 1000;
/** The engine waits longer before each of them: four come within some seconds. */
const maxRestarts = 4;
/** Of a container that had already been started again so often before: the engine waits up to a minute by then. */
const maxFurtherRestarts = 2;

/** By container, as counted by the engine. */
export type RestartCounts = ReadonlyMap<string, RestartState>;

export async function readRestarts(engine: ContainerEngine, project: string): Promise<RestartCounts> {
  const ids = (await listProjectContainers(engine, project)).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const format = '{{.Id}}\t{{.RestartCount}}\t{{.State.Status}}\t{{.State.ExitCode}}';
  // A container that was removed meanwhile is missing in the output, which has the others.
  const { stdout } = await engine.run(['container', 'inspect', '--format', format, ...ids]);
  const rows = stdout.split('\n').map((line) => line.split('\t'));
  return new Map(
    rows.flatMap(([id = '', restarts = '', status = '', exitCode = '']) =>
      /^\d+$/.test(restarts)
        ? [[id, { restarts: Number(restarts), isRunning: status === 'running', exitCode }] as const]
        : [],
    ),
  );
}

/** Looks until there is one. Rejects when `signal` aborts. `before`: the counts when compose began. */
export async function findCrashLoop(
  engine: ContainerEngine,
  project: string,
  before: RestartCounts,
  signal: AbortSignal,
): Promise<CrashLoop | undefined> {
  const look = async (): Promise<CrashLoop | undefined> => {
    const restarts = await readRestarts(engine, project);
    const [id, state] = [...restarts].find(([key, state]) => keepsEnding(state, before.get(key)?.restarts ?? 0)) ?? [];
    return id !== undefined && state && !signal.aborted ? describe(engine, project, id, state) : undefined;
  };
  return pollUntil({ clock: systemClock, pauseMs, signal }, look, Boolean);
}

/** While it runs, its exit code is not that of the last end: it is looked at again, but not for ever. */
function keepsEnding({ restarts, isRunning }: RestartState, before: number): boolean {
  const further = restarts - Math.min(before, restarts);
  const limit = before >= maxRestarts ? maxFurtherRestarts : maxRestarts;
  return further >= (isRunning ? limit + maxRestarts : limit);
}

async function describe(
  engine: ContainerEngine,
  project: string,
  id: string,
  { restarts, isRunning, exitCode }: RestartState,
): Promise<CrashLoop | undefined> {
  const container = (await listProjectContainers(engine, project)).find((each) => each.id === id);
  if (!container) return undefined;
  const { name } = container;
  return {
    container: describeContainer(container),
    name,
    program: engine.info.program,
    restarts,
    exit_code: isRunning ? 'unknown' : exitCode,
    log: await readLastLogLines(engine, name),
  };
}
