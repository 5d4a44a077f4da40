/** Runs a command to its end, with limits on time and output. */
import { execa, type Result } from 'execa';

/** Options of a command. Its arguments are never read by a shell. */
export type ProcessOptions = {
  /** The whole environment: nothing is inherited. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  readonly timeoutMs: number;
  /** Its standard input; empty unless given. */
  readonly input?: string | undefined;
  /** Aborting it ends the command. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each line of standard output and standard error as it arrives. */
  readonly onLine?: ((line: string) => void) | undefined;
};

/** How a command ended. */
export type ProcessResult = {
  /**
   * `exited`: by itself, with `exitCode`. `absent`: there is no such file, or this user may not execute it. The others: it was
   * killed for that reason; `flooded`: over 16 million characters of output.
   */
  readonly kind: 'exited' | 'absent' | 'timed_out' | 'cancelled' | 'flooded' | 'killed';
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
};

const maxOutputLength = 16_000_000;
const forceKillAfterMs = 5000;

/**
 * Runs `file` with `args`. It is not in the terminal's process group, so that Ctrl-C reaches it only through `signal` and the
 * caller decides what becomes of the current step. Never rejects.
 */
export async function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessResult> {
  const { variables, cwd, timeoutMs, input = '', signal, onLine } = options;
  const lineTap =
    onLine &&
    function* passThrough(line: unknown): Generator<string> {
      onLine(String(line));
      yield String(line);
    };
  const result = await execa(file, [...args], {
    env: { ...variables },
    extendEnv: false,
    input,
    timeout: timeoutMs,
    forceKillAfterDelay: forceKillAfterMs,
    maxBuffer: maxOutputLength,
    detached: true,
    cleanup: true,
    reject: false,
    stripFinalNewline: false,
    ...(cwd === undefined ? {} : { cwd }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    ...(lineTap === undefined ? {} : { stdout: lineTap, stderr: lineTap }),
  });
  return {
    kind: toExitKind(result),
    exitCode: result.exitCode,
    stdout: String(result.stdout ?? ''),
    stderr: String(result.stderr ?? ''),
    durationMs: result.durationMs,
  };
}

function toExitKind(result: Result): ProcessResult['kind'] {
  if (result.exitCode !== undefined) return 'exited';
  if (result.timedOut) return 'timed_out';
  if (result.isCanceled) return 'cancelled';
  if (result.isMaxBuffer) return 'flooded';
  return result.isTerminated ? 'killed' : 'absent';
}
