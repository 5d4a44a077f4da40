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
  /** `source:target`, mounted read-only. */
  readonly mounts?: readonly string[];
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
  const { image, words, network, hosts = [], mounts = [], input, timeoutMs = 60_000, signal } = shot;
  const all = [
    ...['run', '--rm', '--pull', 'never', '--network', network, ...bounds],
    ...(input === undefined ? [] : ['--interactive']),
    ...hosts.flatMap((line) => ['--add-host', line]),
    ...mounts.flatMap((mount) => ['--volume', `${mount}:ro`]),
    ...[image, ...words],
  ];
  return engine.attempt(all, { timeoutMs, signal, ...(input === undefined ? {} : { input }) });
}
