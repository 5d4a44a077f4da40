/** From a command line to its exit code: find the command, parse, run, report errors. Modules are loaded when they are needed. */
import type { Environment } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import type { CommandEntry } from './command.ts';
import type { CommandMatch } from './find-command.ts';

/** Runs command lines against one catalogue of commands. No method rejects: every error is reported and becomes an exit code. */
export type Dispatcher = {
  /** Runs the command that the environment's arguments name. */
  dispatch(environment: Environment): Promise<ExitCode>;
  /** Reports on standard error that standard output could not be written. */
  reportOutputFailure(failure: NodeJS.ErrnoException, environment: Environment): Promise<ExitCode>;
  /** Reports that the command waits for something that nothing in this process can bring: a defect of ours. */
  reportStalledCommand(environment: Environment): Promise<ExitCode>;
};

/** `loadCatalogue` is called at the first use, so that `vp --version` does not load the list of commands. */
export function createDispatcher(loadCatalogue: () => Promise<readonly CommandEntry[]>): Dispatcher {
  return {
    async dispatch(environment) {
      try {
        return await dispatchLine(await loadCatalogue(), environment);
      } catch (thrown) {
        return reportError(thrown, environment);
      }
    },
    async reportOutputFailure(failure, environment) {
      const [{ printError }, { vpError }] = await Promise.all([
        import('./print-error.ts'),
        import('../errors/vp-error.ts'),
      ]);
      const reason = failure.code ?? failure.message;
      const error = vpError('COMMAND_OUTPUT_UNWRITABLE', { reason }, { cause: failure });
      // As text even with --json: standard output, where the JSON would go, is what failed.
      return printError(error, { ...outputModeFor(environment), json: false }, environment).row.exit;
    },
    async reportStalledCommand(environment) {
      const { vpError } = await import('../errors/vp-error.ts');
      const detail = 'the command waits for something that nothing in this process can bring';
      return reportError(vpError('INTERNAL', {}, { detail }), environment);
    },
  };
}

/** The arguments up to `--`; behind it nothing is a flag. */
function argumentsBeforeSeparator(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

/** How output is written. Read before the line is parsed, because it also holds for parse errors. */
function outputModeFor({ args, variables }: Environment): { json: boolean; debug: boolean } {
  const flags = argumentsBeforeSeparator(args);
  const hasDebugValue = flags.some((arg, index) => arg === '--log-level' && flags[index + 1] === 'debug');
  return {
    json: flags.includes('--json') || /^(1|true|yes|on)$/i.test(variables.VP_JSON ?? ''),
    debug: hasDebugValue || flags.includes('--log-level=debug') || variables.VP_LOG_LEVEL === 'debug',
  };
}

async function printHelp(
  match: CommandMatch,
  catalogue: readonly CommandEntry[],
  environment: Environment,
): Promise<ExitCode> {
  const { catalogueHelp, commandHelp } = await import('./help.ts');
  const { paintFor } = await import('../terminal/paint.ts');
  const { stdout } = environment.streams;
  const { width } = paintFor(stdout, environment.variables);
  const help =
    match.kind === 'group'
      ? await catalogueHelp(catalogue, match.name, width)
      : await commandHelp(await match.entry.load(), width);
  stdout.write(outputModeFor(environment).json ? `${JSON.stringify({ help })}\n` : help);
  return exitCode.done;
}

async function runCommand(match: CommandMatch & { kind: 'command' }, environment: Environment): Promise<ExitCode> {
  const [{ parseLine }, { watchInterrupts }, command] = await Promise.all([
    import('./parse-line.ts'),
    import('./interrupts.ts'),
    match.entry.load(),
  ]);
  const line = parseLine(command, match.args, environment.variables);
  const interrupts = watchInterrupts(environment);
  try {
    return await Promise.race([
      command.run({ ...line, environment: interrupts.environment }),
      interrupts.ended.then(() => exitCode.interrupted),
    ]);
  } finally {
    interrupts.stop();
  }
}

/** Without any argument all commands are listed, on standard error because no output was requested. */
async function reportIncompleteCommand(
  name: string,
  catalogue: readonly CommandEntry[],
  environment: Environment,
): Promise<ExitCode> {
  if (name === '' && !outputModeFor(environment).json) {
    const { catalogueHelp } = await import('./help.ts');
    environment.streams.stderr.write(await catalogueHelp(catalogue, '', environment.streams.stderr.columns ?? 80));
    return exitCode.invalidInput;
  }
  const [{ listNamesBelow: namesBelow }, { vpError }] = await Promise.all([
    import('./find-command.ts'),
    import('../errors/vp-error.ts'),
  ]);
  const command = name === '' ? 'vp' : `vp ${name}`;
  const error = vpError('COMMAND_INCOMPLETE', { command, choices: namesBelow(catalogue, name).join(', ') });
  return reportError(error, environment);
}

async function reportError(thrown: unknown, environment: Environment): Promise<ExitCode> {
  const { printError } = await import('./print-error.ts');
  return printError(thrown, outputModeFor(environment), environment).row.exit;
}

async function dispatchLine(catalogue: readonly CommandEntry[], environment: Environment): Promise<ExitCode> {
  const { findCommand } = await import('./find-command.ts');
  const { args } = environment;
  const isHelpRequested =
    args[0] === 'help' || argumentsBeforeSeparator(args).some((arg) => arg === '--help' || arg === '-h');
  const match = findCommand(catalogue, args[0] === 'help' ? args.slice(1) : args);
  if (isHelpRequested) return printHelp(match, catalogue, environment);
  return match.kind === 'command'
    ? runCommand(match, environment)
    : reportIncompleteCommand(match.name, catalogue, environment);
}
