/** Runs a command line of `vp run` in this process: what is printed as the next command is what runs. */
import type { Command, FlagDefinitions, Invocation } from '../../command-line/command.ts';
import { parseLine } from '../../command-line/parse-line.ts';
import type { ExitCode } from '../../errors/exit-code.ts';
import { runCommand } from '../run/run.ts';

/** `document` is the JSON of `vp run --json`, where `json` is set; otherwise the report was printed. */
export type InProcessRun = { readonly code: ExitCode; readonly document: unknown };

/** `args` are the words after `vp run`. */
export async function runInProcess(
  args: readonly string[],
  { json, environment, catalogue }: Pick<Invocation<FlagDefinitions>, 'json' | 'environment' | 'catalogue'>,
): Promise<InProcessRun> {
  const command: Command = runCommand;
  const line = parseLine(command, args, {});
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text) };
  const streams = json ? { ...environment.streams, stdout: sink } : environment.streams;
  const call = { environment: { ...environment, args: ['run', ...args], streams }, catalogue };
  const code = await command.run({ ...line, ...call, json });
  return { code, document: json ? JSON.parse(written.join('')) : undefined };
}
