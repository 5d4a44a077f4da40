/** A container that does one thing and is gone: for probing a network from the inside. */
import type { ProgramEnd } from '../process/run-program.ts';
import type { Engine } from './engine.ts';

/** What it runs. `words` are those of the image's entry point. */
export type OneShot = {
  readonly image: string;
  readonly words: readonly string[];
  readonly network: string;
  /** Lines for its hosts file, `name:address`. */
  readonly hosts?: readonly string[];
  /** `source:target`, mounted read-only; a source that does not exist is refused. */
  readonly mounts?: readonly string[];
  /** `volume:target`, to write to. */
  readonly volumes?: readonly string[];
  /** Without the labels of SELinux, which keep containers away from sockets of the host. */
  readonly selinuxOff?: boolean;
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
};

/** Least privilege: read-only, no capabilities, bounded. */
const bounds = [
  ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', '64'],
  ...['--memory', '256m', '--log-driver', 'none'],
];

/** Runs it and removes it. */
export function runOnce(engine: Engine, shot: OneShot): Promise<ProgramEnd> {
  const { image, words, network, hosts = [], mounts = [], volumes = [], input, timeoutMs = 60_000, signal } = shot;
  const all = [
    ...['run', '--rm', '--pull', 'never', '--network', network, ...bounds],
    ...(input === undefined ? [] : ['--interactive']),
    ...hosts.flatMap((line) => ['--add-host', line]),
    ...mounts.flatMap((mount) => ['--mount', boundTo(mount)]),
    ...volumes.flatMap((volume) => ['--volume', volume]),
    ...(shot.selinuxOff ? ['--security-opt', 'label=disable'] : []),
    ...[image, ...words],
  ];
  return engine.attempt(all, { timeoutMs, signal, ...(input === undefined ? {} : { input }) });
}

/** Unlike `--volume`, it does not make a folder where there is none. Its words are a line of CSV. */
function boundTo(mount: string): string {
  const [, source = '', target = ''] = /^(.*):([^:]*)$/s.exec(mount) ?? [];
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return ['type=bind', cell(`source=${source}`), cell(`target=${target}`), 'readonly'].join(',');
}
