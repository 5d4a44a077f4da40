/** One-off containers: for probing a network from the inside and for writing into volumes. */
import type { ProcessResult } from '../process/run-process.ts';
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

/** Runs a container and removes it. */
export function runOneOffContainer(engine: ContainerEngine, container: OneOffContainer): Promise<ProcessResult> {
  const { image, args, network, hosts = [], mounts = [], volumes = [], input, timeoutMs = 60_000, signal } = container;
  const runArgs = [
    ...['run', '--rm', '--pull', 'never', '--network', network, ...confinementArgs],
    ...(input === undefined ? [] : ['--interactive']),
    ...hosts.flatMap((line) => ['--add-host', line]),
    ...mounts.flatMap((mount) => ['--mount', toMountArgument(mount)]),
    ...volumes.flatMap((volume) => ['--volume', volume]),
    ...(container.selinuxOff ? ['--security-opt', 'label=disable'] : []),
    ...[image, ...args],
  ];
  return engine.run(runArgs, { timeoutMs, signal, ...(input === undefined ? {} : { input }) });
}

/** Unlike `--volume`, `--mount` does not create a missing source. Its value is a line of CSV. */
function toMountArgument(mount: string): string {
  const [, source = '', target = ''] = /^(.*):([^:]*)$/s.exec(mount) ?? [];
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return ['type=bind', cell(`source=${source}`), cell(`target=${target}`), 'readonly'].join(',');
}
