/** The first module that runs. The version is printed before anything else is loaded; the build packs the rest apart. */
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';

/** Runs the command that the environment's arguments name. Reports every error itself; never rejects. */
export async function main(environment: Environment): Promise<ExitCode> {
  const { args, streams } = environment;
  const [first, second] = args;
  if (first === '--version' || (first === '--json' && second === '--version')) {
    const json = args.includes('--json');
    streams.stdout.write(json ? `${JSON.stringify({ name: 'vp', version })}\n` : `vp ${version}\n`);
    return exitCode.done;
  }
  const { dispatch } = await import('./dispatch.ts');
  return dispatch(environment);
}

/** Reports on standard error that standard output could not be written; resolves with the exit code. */
export async function reportOutputFailure(failure: NodeJS.ErrnoException, environment: Environment): Promise<ExitCode> {
  return (await import('./dispatch.ts')).reportOutputFailure(failure, environment);
}

/** Reports that the command waits for something that cannot come any more; resolves with the exit code. */
export async function reportStalledCommand(environment: Environment): Promise<ExitCode> {
  return (await import('./dispatch.ts')).reportStalledCommand(environment);
}
