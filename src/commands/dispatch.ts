/** From a line to its command: finds, parses, runs, tells. Nothing is loaded before it is known to be needed. */
import type { Environment } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import type { Found } from './find-command.ts';

/** The words of a line up to `--`; behind it nothing is a flag. */
function flagPart(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

/** What holds for errors too, so it is known before the line is understood. */
function tone({ args, variables }: Environment): { json: boolean; debug: boolean } {
  const flags = flagPart(args);
  const debugBehind = flags.some((arg, index) => arg === '--log-level' && flags[index + 1] === 'debug');
  return {
    json: flags.includes('--json') || /^(1|true|yes|on)$/i.test(variables.VP_JSON ?? ''),
    debug: debugBehind || flags.includes('--log-level=debug') || variables.VP_LOG_LEVEL === 'debug',
  };
}

async function tellHelp(found: Found, environment: Environment): Promise<ExitCode> {
  const { catalogueHelp, commandHelp } = await import('./help.ts');
  const { paintFor } = await import('../terminal/paint.ts');
  const { stdout } = environment.streams;
  const { width } = paintFor(stdout, environment.variables);
  const help =
    found.kind === 'group'
      ? await catalogueHelp(found.name, width)
      : await commandHelp(await found.entry.load(), width);
  stdout.write(tone(environment).json ? `${JSON.stringify({ help })}\n` : help);
  return exitCode.done;
}

async function runCommand(found: Found & { kind: 'command' }, environment: Environment): Promise<ExitCode> {
  const [{ parseLine }, { watchInterrupts }, command] = await Promise.all([
    import('./parse.ts'),
    import('./interrupts.ts'),
    found.entry.load(),
  ]);
  const line = parseLine(command, found.args, environment.variables);
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

/** Without any word people are shown all commands, on standard error because nothing was asked for. */
async function tellIncomplete(name: string, environment: Environment): Promise<ExitCode> {
  if (name === '' && !tone(environment).json) {
    const { catalogueHelp } = await import('./help.ts');
    environment.streams.stderr.write(await catalogueHelp('', environment.streams.stderr.columns ?? 80));
    return exitCode.invalidInput;
  }
  const [{ catalogue }, { namesBelow }, { vpError }] = await Promise.all([
    import('./catalogue.ts'),
    import('./find-command.ts'),
    import('../errors/vp-error.ts'),
  ]);
  const command = name === '' ? 'vp' : `vp ${name}`;
  const error = vpError('COMMAND_INCOMPLETE', { command, choices: namesBelow(catalogue, name).join(', ') });
  return tell(error, environment);
}

async function tell(thrown: unknown, environment: Environment): Promise<ExitCode> {
  const { tellError } = await import('./tell-error.ts');
  return tellError(thrown, tone(environment), environment).row.exit;
}

async function perform(environment: Environment): Promise<ExitCode> {
  const [{ catalogue }, { findCommand }] = await Promise.all([import('./catalogue.ts'), import('./find-command.ts')]);
  const { args } = environment;
  const asksHelp = args[0] === 'help' || flagPart(args).some((arg) => arg === '--help' || arg === '-h');
  const found = findCommand(catalogue, args[0] === 'help' ? args.slice(1) : args);
  if (asksHelp) return tellHelp(found, environment);
  return found.kind === 'command' ? runCommand(found, environment) : tellIncomplete(found.name, environment);
}

/** Runs the command that the environment's arguments name. Tells every error itself; never rejects. */
export async function dispatch(environment: Environment): Promise<ExitCode> {
  try {
    return await perform(environment);
  } catch (thrown) {
    return tell(thrown, environment);
  }
}

/** See `tellOutputFault`, which loads this: it stands here because the build packs one file behind the entry. */
export async function tellOutputUnwritable(fault: NodeJS.ErrnoException, environment: Environment): Promise<ExitCode> {
  const [{ tellError }, { vpError }] = await Promise.all([import('./tell-error.ts'), import('../errors/vp-error.ts')]);
  const error = vpError('COMMAND_OUTPUT_UNWRITABLE', { reason: fault.code ?? fault.message }, { cause: fault });
  // As text also with --json: standard output, where JSON would go, is what is broken.
  return tellError(error, { ...tone(environment), json: false }, environment).row.exit;
}

/** See `tellStalled` of main.ts, which loads this. */
export async function tellStalled(environment: Environment): Promise<ExitCode> {
  const [{ tellError }, { vpError }] = await Promise.all([import('./tell-error.ts'), import('../errors/vp-error.ts')]);
  const detail = 'the command waits for something that nothing in this process can bring';
  return tellError(vpError('INTERNAL', {}, { detail }), tone(environment), environment).row.exit;
}
