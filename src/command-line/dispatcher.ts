/** From a command line to its exit code: find the command, parse, run, report errors. Modules are loaded when they are needed. */
import type { Environment } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import type { VpError } from '../errors/vp-error.ts';
import type { CommandEntry, FlagDefinitions, Invocation } from './command.ts';
import type { CommandMatch } from './find-command.ts';
import type { InheritedValues, ValueOrigin } from './inherited-values.ts';
import type { OverviewOptions } from './overview.ts';

/** Runs command lines against one catalogue of commands. No method rejects: every error is reported and becomes an exit code. */
export type Dispatcher = {
  /** Runs the command that the environment's arguments name. */
  dispatch(environment: Environment): Promise<ExitCode>;
  /** Reports on standard error that standard output could not be written. */
  reportOutputFailure(failure: NodeJS.ErrnoException, environment: Environment): Promise<ExitCode>;
  /** Reports that the command waits for something that nothing in this process can bring: a defect of ours. */
  reportStalledCommand(environment: Environment): Promise<ExitCode>;
};

/**
 * `loadCatalogue` is called at the first use, so that `vp --version` does not load the list of commands. `completeCure` makes the
 * commands in the fix of an error complete.
 */
export type DispatcherOptions = {
  readonly loadCatalogue: () => Promise<readonly CommandEntry[]>;
  /** The groups of the help, and the commands that it does not list. */
  readonly loadGroups: () => Promise<Pick<OverviewOptions, 'groups' | 'internal'>>;
  readonly readInheritedValues: (environment: Environment) => Promise<InheritedValues>;
  readonly completeCure: (
    cure: string,
    error: VpError,
    call: Pick<Invocation<FlagDefinitions>, 'environment' | 'catalogue'>,
  ) => Promise<string>;
};

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { loadCatalogue, completeCure } = options;
  const reportError = async (thrown: unknown, environment: Environment): Promise<ExitCode> => {
    const [{ printError }, { toVpError }] = await Promise.all([
      import('./print-error.ts'),
      import('../errors/vp-error.ts'),
    ]);
    const error = toVpError(thrown);
    const complete = async () => completeCure(error.cure, error, { environment, catalogue: await loadCatalogue() });
    const cure = await complete().catch(() => error.cure);
    return printError(error, outputModeFor(environment), environment, cure).row.exit;
  };
  return {
    async dispatch(environment) {
      try {
        return await dispatchLine(await loadCatalogue(), environment, options);
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

async function renderHelp(
  match: CommandMatch,
  catalogue: readonly CommandEntry[],
  loadGroups: DispatcherOptions['loadGroups'],
  environment: Environment,
): Promise<string> {
  const { paintFor } = await import('../terminal/paint.ts');
  const { width } = paintFor(environment.streams.stdout, environment.variables);
  if (match.kind === 'group' && match.name === '') return listAllCommands(catalogue, loadGroups, environment, width);
  const { renderCommandHelp, renderGroupHelp } = await import('./help.ts');
  if (match.kind === 'command') return renderCommandHelp(await loadCommand(match, catalogue), width, catalogue);
  const { groups } = await loadGroups();
  const summary = groups.map(({ words }) => words[match.name]).find((text) => text !== undefined);
  return renderGroupHelp(catalogue, match.name, width, summary);
}

async function loadCommand(match: CommandMatch & { kind: 'command' }, catalogue: readonly CommandEntry[]) {
  const [{ assertNextWord }, command] = await Promise.all([import('./find-command.ts'), match.entry.load()]);
  assertNextWord(catalogue, match, command);
  return command;
}

async function listAllCommands(
  catalogue: readonly CommandEntry[],
  loadGroups: DispatcherOptions['loadGroups'],
  environment: Environment,
  width: number,
): Promise<string> {
  const [{ renderOverview }, { nameProgram }, groups] = await Promise.all([
    import('./overview.ts'),
    import('../environment/running-binary.ts'),
    loadGroups(),
  ]);
  return renderOverview({ catalogue, ...groups, program: nameProgram(environment) }, width);
}

async function printHelp(
  match: CommandMatch,
  catalogue: readonly CommandEntry[],
  environment: Environment,
  loadGroups: DispatcherOptions['loadGroups'],
): Promise<ExitCode> {
  const { stdout } = environment.streams;
  const help = await renderHelp(match, catalogue, loadGroups, environment);
  stdout.write(outputModeFor(environment).json ? `${JSON.stringify({ help })}\n` : help);
  return exitCode.done;
}

async function runCommand(
  match: CommandMatch & { kind: 'command' },
  catalogue: readonly CommandEntry[],
  environment: Environment,
  readInheritedValues: DispatcherOptions['readInheritedValues'],
): Promise<ExitCode> {
  const [{ parseLine }, { watchInterrupts }, { formatValueOrigins }, command] = await Promise.all([
    import('./parse-line.ts'),
    import('./interrupts.ts'),
    import('./inherited-values.ts'),
    loadCommand(match, catalogue),
  ]);
  const canInherit = [...Object.values(command.flags), ...command.positionals].some(({ inherits }) => inherits);
  const inherited = canInherit ? await readInheritedValues(environment) : undefined;
  const parse = () => parseLine(command, match.args, environment.variables, inherited);
  const { origins, ...line } = await parseOrNotify(parse, () => command.onInvalidLine?.(match.args, environment));
  if (line.logLevel === 'debug' && origins.length > 0)
    environment.streams.stderr.write(`vp: using ${formatValueOrigins(origins)}\n`);
  const interrupts = watchInterrupts(await withRememberedValues(environment, line.json, origins));
  try {
    return await Promise.race([
      command.run({ ...line, environment: interrupts.environment, catalogue }),
      interrupts.ended.then(() => exitCode.interrupted),
    ]);
  } catch (thrown) {
    throw await withOrigins(thrown, origins);
  } finally {
    interrupts.stop();
  }
}

async function parseOrNotify<T>(parse: () => T, onInvalid: () => Promise<void> | undefined): Promise<T> {
  try {
    return parse();
  } catch (thrown) {
    await onInvalid();
    throw thrown;
  }
}

async function withRememberedValues(
  environment: Environment,
  json: boolean,
  origins: readonly ValueOrigin[],
): Promise<Environment> {
  if (!json || origins.length === 0) return environment;
  const { nameRememberedValues } = await import('./remembered-output.ts');
  const { streams } = environment;
  return { ...environment, streams: { ...streams, stdout: nameRememberedValues(streams.stdout, origins) } };
}

/** Errors whose reason may be that another control plane or instance was meant. */
const originErrors =
  /^(INSTANCE_(UNKNOWN|FOREIGN|NONE)|CONTROL_PLANE_UNREACHABLE|CREDENTIAL_(ABSENT|INVALID|EXPIRED)|LOGIN_(ENDED|FAILED))$/;

/** The error with where the control plane and the instance come from, if they are not on the line. */
async function withOrigins(thrown: unknown, origins: readonly ValueOrigin[]): Promise<unknown> {
  const inherited = origins.filter(({ source }) => source !== 'default');
  const { VpError } = await import('../errors/vp-error.ts');
  if (!(thrown instanceof VpError) || !originErrors.test(thrown.code) || inherited.length === 0) return thrown;
  const { formatValueOrigins } = await import('./inherited-values.ts');
  return thrown.withCure(`${thrown.cure}; this used ${formatValueOrigins(inherited)}`);
}

/** Without any argument all commands are listed, on standard error because no output was requested. */
async function reportIncompleteCommand(
  name: string,
  catalogue: readonly CommandEntry[],
  environment: Environment,
  loadGroups: DispatcherOptions['loadGroups'],
): Promise<ExitCode> {
  if (name === '' && !outputModeFor(environment).json) {
    const { stderr } = environment.streams;
    stderr.write(await listAllCommands(catalogue, loadGroups, environment, stderr.columns ?? 80));
    return exitCode.invalidInput;
  }
  const [{ listNamesBelow: namesBelow }, { vpError }] = await Promise.all([
    import('./find-command.ts'),
    import('../errors/vp-error.ts'),
  ]);
  const command = name === '' ? 'vp' : `vp ${name}`;
  throw vpError('COMMAND_INCOMPLETE', { command, choices: namesBelow(catalogue, name).join(', ') });
}

async function dispatchLine(
  catalogue: readonly CommandEntry[],
  environment: Environment,
  { readInheritedValues, loadGroups }: DispatcherOptions,
): Promise<ExitCode> {
  const { findCommand } = await import('./find-command.ts');
  const { args } = environment;
  const isHelpRequested =
    args[0] === 'help' || argumentsBeforeSeparator(args).some((arg) => arg === '--help' || arg === '-h');
  const match = findCommand(catalogue, args[0] === 'help' ? args.slice(1) : args);
  if (isHelpRequested) return printHelp(match, catalogue, environment, loadGroups);
  if (match.kind === 'command') return runCommand(match, catalogue, environment, readInheritedValues);
  const { name, args: commonArgs, list } = match;
  if (list === undefined) return reportIncompleteCommand(name, catalogue, environment, loadGroups);
  const listMatch = { kind: 'command', entry: list, args: commonArgs, nextWord: undefined } as const;
  return runCommand(listMatch, catalogue, environment, readInheritedValues);
}
