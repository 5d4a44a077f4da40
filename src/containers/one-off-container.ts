/** One-off containers: for probing a network from the inside and for writing into volumes. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ProcessResult } from '../process/run-process.ts';
import { listContainers } from './containers.ts';
import type { ContainerEngine } from './engine.ts';

/** What a one-off container runs. `args` are those of the image's entry point. */
export type OneOffContainer = {
  readonly image: string;
  readonly args: readonly string[];
  readonly network: string;
  /** Lines for its hosts file, `name:address`. */
  readonly hosts?: readonly string[];
  /** `source:target`, mounted read-only; a source that does not exist is refused. */
  readonly mounts?: readonly string[];
  /** `volume:target`, to write to. */
  readonly volumes?: readonly string[];
  /** Turns SELinux labels off, which keep containers from sockets of the host. */
  readonly selinuxOff?: boolean;
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
};

/** Least privilege: read-only, no capabilities, bounded. */
const confinementArgs = [
  ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', '64'],
  ...['--memory', '256m', '--log-driver', 'none'],
];

/** Marks one-off containers, so that those that an interruption has left are found. */
export const oneOffLabel = 'vp.one-off';

/** Runs a container and removes it, also when it is interrupted: the engine would go on without its command. */
export async function runOneOffContainer(engine: ContainerEngine, container: OneOffContainer): Promise<ProcessResult> {
  const { image, args, network, hosts = [], mounts = [], volumes = [], input, timeoutMs = 60_000, signal } = container;
  const name = `vp-one-off-${randomUUID()}`;
  const runArgs = [
    ...['run', '--rm', '--pull', 'never', '--name', name, '--label', `${oneOffLabel}=true`, '--network', network],
    ...confinementArgs,
    ...(input === undefined ? [] : ['--interactive']),
    ...hosts.flatMap((line) => ['--add-host', line]),
    ...mounts.flatMap((mount) => ['--mount', toMountArgument(mount)]),
    ...volumes.flatMap((volume) => ['--volume', volume]),
    ...(container.selinuxOff ? ['--security-opt', 'label=disable'] : []),
    ...[image, ...args],
  ];
  try {
    const result = await engine.run(runArgs, { timeoutMs, signal, ...(input === undefined ? {} : { input }) });
    if (result.kind !== 'exited') await removeContainer(engine, name);
    return result;
  } catch (error) {
    await removeContainer(engine, name);
    throw error;
  }
}

/** Before each attempt. Seen on a busy machine: a container that appeared more than 1.5 s after its command had ended. */
const removalPausesMs = [0, 500, 1000, 2000, 2500];

/** The engine may create it only after its command has ended, so a container that is not there is looked for again. */
async function removeContainer(engine: ContainerEngine, name: string): Promise<void> {
  for (const pauseMs of removalPausesMs) {
    if (pauseMs > 0) await setTimeout(pauseMs);
    const { exitCode, stderr } = await engine.run(['rm', '--force', '--volumes', name]);
    if (exitCode === 0 && !/no such container/i.test(stderr)) return;
  }
}

/** Removes what a killed run has left: one-off containers that have ended or never started. */
export async function removeOldOneOffContainers(engine: ContainerEngine): Promise<readonly string[]> {
  // podman 4 refuses to filter by the state `dead`.
  const containers = await listContainers(engine, [`label=${oneOffLabel}`]);
  const ids = containers.filter(({ state }) => /^(created|exited|dead)$/.test(state)).map(({ id }) => id);
  if (ids.length > 0) await engine.run(['rm', '--force', ...ids]);
  return ids;
}

/** Unlike `--volume`, `--mount` does not create a missing source. Its value is a line of CSV. */
function toMountArgument(mount: string): string {
  const [, source = '', target = ''] = /^(.*):([^:]*)$/s.exec(mount) ?? [];
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return ['type=bind', cell(`source=${source}`), cell(`target=${target}`), 'readonly'].join(',');
}
