/** Everything a role takes from its process, as one record; nothing else in the product reads `process`. */
import { hostname } from 'node:os';
import { type Clock, systemClock } from './clock.ts';
import { resolvePaths, type UserPaths } from './paths.ts';
import { type Random, systemRandom } from './random.ts';
import { findHomeFolder } from './user.ts';

/** A stream that text is written to; `isTTY` and `columns` are absent on files and pipes. */
export type TextSink = {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** The three standard streams. */
export type Streams = { readonly stdin: NodeJS.ReadableStream; readonly stdout: TextSink; readonly stderr: TextSink };

/** The process, as a value. */
export type Environment = {
  /** The words after the program's name. */
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly hostname: string;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly random: Random;
  readonly paths: UserPaths;
  /** Calls `listener` at every SIGINT, SIGTERM or SIGHUP; the returned function stops that. */
  onInterrupt(listener: (signal: NodeJS.Signals) => void): () => void;
};

const interrupts = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function onInterrupt(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of interrupts) process.on(signal, listener);
  return () => {
    for (const signal of interrupts) process.off(signal, listener);
  };
}

/** The environment of the running process. */
export function processEnvironment(): Environment {
  return {
    args: process.argv.slice(2),
    variables: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    pid: process.pid,
    hostname: hostname(),
    streams: {
      // Opened when it is read: most commands do not.
      get stdin() {
        return process.stdin;
      },
      stdout: process.stdout,
      stderr: process.stderr,
    },
    clock: systemClock,
    random: systemRandom,
    paths: resolvePaths(process.env, process.platform, findHomeFolder()),
    onInterrupt,
  };
}
