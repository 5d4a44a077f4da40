/** Starting and removing compose projects. */
import { systemClock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import { pauseUntilAborted } from '../timing/pause.ts';
import { pollUntil } from '../timing/poll.ts';
import { listProjectContainers } from './containers.ts';
import { type CrashLoop, findCrashLoop, type RestartCounts, readRestarts } from './crash-watch.ts';
import type { ContainerEngine } from './engine.ts';

/** `folder` contains the project's `compose.yaml` and `.env`. */
export type ComposeProject = { readonly name: string; readonly folder: string };

export type ComposeOptions = {
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
};

/** `recreate`: also replace containers that seem up to date. */
export type ComposeStartOptions = ComposeOptions & { readonly recreate?: boolean };

const startTimeoutMs = 300_000;
const stopTimeoutMs = 120_000;

function composeArgs({ name, folder }: ComposeProject, command: readonly string[]): string[] {
  return ['compose', '--project-name', name, '--project-directory', folder, '--progress', 'plain', ...command];
}

/**
 * Starts what is not running, recreates what differs, and waits until everything is running or healthy.
 * Throws ENGINE_COMMAND_FAILED, ENGINE_COMMAND_SLOW, CONTAINER_CRASH_LOOP.
 */
export async function startComposeProject(
  engine: ContainerEngine,
  project: ComposeProject,
  { recreate = false, signal, ...options }: ComposeStartOptions = {},
): Promise<void> {
  await unpauseProject(engine, project, signal);
  const up = ['up', '--detach', '--wait', '--pull', 'never', '--remove-orphans'];
  const args = composeArgs(project, [...up, ...(recreate ? ['--force-recreate'] : [])]);
  const before = await readRestarts(engine, project.name);
  const upEnd = new AbortController();
  const crash = new AbortController();
  const signals = signal ? [signal, crash.signal] : [crash.signal];
  const endOnCrash = (loop: CrashLoop | undefined): CrashLoop | undefined => {
    if (loop) crash.abort();
    return loop;
  };
  // What a look fails with is not why compose ends.
  const watching = findCrashLoop(engine, project.name, before, upEnd.signal).then(endOnCrash, () => undefined);
  try {
    await engine.output(args, { timeoutMs: startTimeoutMs, ...options, signal: AbortSignal.any(signals) });
  } catch (error) {
    signal?.throwIfAborted();
    const waiting = waitForRestarts(engine, project.name, before, upEnd.signal).catch(() => undefined);
    const loop = await Promise.race([watching, waiting]);
    throw loop ? vpError('CONTAINER_CRASH_LOOP', loop) : error;
  } finally {
    upEnd.abort();
    await watching;
  }
}

const restartTimeoutMs = 15_000;

/** Compose also gives up on a container as unhealthy while the engine starts it again: then the reason comes a little later. */
async function waitForRestarts(
  engine: ContainerEngine,
  project: string,
  before: RestartCounts,
  signal: AbortSignal,
): Promise<undefined> {
  const now = await readRestarts(engine, project);
  const hasRestarted = [...now].some(([id, { restarts }]) => restarts > (before.get(id)?.restarts ?? 0));
  const isLooping = [...now.values()].some(({ restarts, isRunning }) => restarts > 0 && !isRunning);
  if (hasRestarted || isLooping) await pauseUntilAborted(systemClock, restartTimeoutMs, signal);
  return undefined;
}

const settleTimeoutMs = 30_000;
const pauseMs = 500;

/** Compose can neither start a paused container nor replace it; and it gives up on one that is still unhealthy from its pause. */
async function unpauseProject(
  engine: ContainerEngine,
  { name }: ComposeProject,
  signal: AbortSignal | undefined,
): Promise<void> {
  const paused = (await listProjectContainers(engine, name)).filter(({ state }) => state === 'paused');
  if (paused.length === 0) return;
  await engine.output(['unpause', ...paused.map(({ id }) => id)], { signal });
  await pollUntil(
    { clock: systemClock, pauseMs, timeoutMs: settleTimeoutMs, signal },
    () => listProjectContainers(engine, name),
    (containers) => !containers.some(({ status }) => /\(unhealthy\)/.test(status)),
  );
}

/** Removes the containers and networks of a project, and with `volumes` its volumes. Does nothing where there are none. */
export async function removeComposeProject(
  engine: ContainerEngine,
  { name }: Pick<ComposeProject, 'name'>,
  options: ComposeOptions & { readonly volumes: boolean },
): Promise<void> {
  const { volumes, ...call } = options;
  // Without the compose file: the labels of the containers say what belongs to the project.
  const down = ['compose', '--project-name', name, 'down', '--remove-orphans', '--timeout', '10'];
  await engine.output([...down, ...(volumes ? ['--volumes'] : [])], { timeoutMs: stopTimeoutMs, ...call });
}
