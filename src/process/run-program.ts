/** Runs another program to its end, bounded in time and output. */
import { execa, type Result } from 'execa';

/** How a program is run. Its words are never read by a shell. */
export type ProgramOptions = {
  /** All that its environment holds. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  readonly timeoutMs: number;
  /** Given on its standard input; nothing otherwise. */
  readonly input?: string | undefined;
  /** Aborting it ends the program. */
  readonly signal?: AbortSignal | undefined;
  /** Told each line as it comes, of standard output and standard error alike. */
  readonly onLine?: ((line: string) => void) | undefined;
};

/** How it ended. */
export type ProgramEnd = {
  /**
   * `exited`: by itself, with `exitCode`. `absent`: there is no such program here, or this user may not start it. The others:
   * it was ended, for the reason that the word says; `flooded` is over 16 million characters of output.
   */
  readonly kind: 'exited' | 'absent' | 'timed_out' | 'cancelled' | 'flooded' | 'killed';
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
};

const outputLimit = 16_000_000;
const forceKillAfterMs = 5000;

/**
 * Runs `file` with `words`. It is no part of the terminal's group: Ctrl-C reaches it only through `signal`, so that whoever
 * runs it decides what becomes of the step in hand. Never rejects.
 */
export async function runProgram(file: string, words: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const { variables, cwd, timeoutMs, input = '', signal, onLine } = options;
  const told =
    onLine &&
    function* tell(line: unknown): Generator<string> {
      onLine(String(line));
      yield String(line);
    };
  const end = await execa(file, [...words], {
    env: { ...variables },
    extendEnv: false,
    input,
    timeout: timeoutMs,
    forceKillAfterDelay: forceKillAfterMs,
    maxBuffer: outputLimit,
    detached: true,
    cleanup: true,
    reject: false,
    stripFinalNewline: false,
    ...(cwd === undefined ? {} : { cwd }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    ...(told === undefined ? {} : { stdout: told, stderr: told }),
  });
  return {
    kind: kindOf(end),
    exitCode: end.exitCode,
    stdout: String(end.stdout ?? ''),
    stderr: String(end.stderr ?? ''),
    durationMs: end.durationMs,
  };
}

function kindOf(end: Result): ProgramEnd['kind'] {
  if (end.exitCode !== undefined) return 'exited';
  if (end.timedOut) return 'timed_out';
  if (end.isCanceled) return 'cancelled';
  if (end.isMaxBuffer) return 'flooded';
  return end.isTerminated ? 'killed' : 'absent';
}
