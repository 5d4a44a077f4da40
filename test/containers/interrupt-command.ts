/** Runs `vp onboard` or `vp teardown` with JSON lines, and disturbs it at a chosen moment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A JSON line of an onboarding or a teardown. */
export type CommandEvent = {
  readonly event: string;
  readonly step?: string;
  readonly outcome?: string;
  readonly undone?: boolean;
  readonly steps?: readonly { readonly id: string }[];
};

export type InterruptedCommand = {
  /** Null if the signal ended it. */
  readonly code: number | null;
  readonly events: readonly CommandEvent[];
  readonly stderr: string;
  /** The moment came. */
  readonly isDisturbed: boolean;
};

export type InterruptOptions = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  isMoment(event: CommandEvent): boolean;
  /** Called once, at the moment. */
  disturb(child: ChildProcess): unknown;
};

/** Resolves when the command has ended. */
export async function interruptCommand(options: InterruptOptions): Promise<InterruptedCommand> {
  const { program, args, env, cwd, isMoment, disturb } = options;
  const child = spawn(program, [...args, '--json'], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const events: CommandEvent[] = [];
  let [stderr, isDisturbed] = ['', false];
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const event: CommandEvent = JSON.parse(line);
    events.push(event);
    if (isDisturbed || !isMoment(event)) return;
    isDisturbed = true;
    disturb(child);
  });
  const [[code]] = await Promise.all([once(child, 'close'), once(lines, 'close')]);
  return { code, events, stderr, isDisturbed };
}
