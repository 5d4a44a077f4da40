/** The first thing that runs. The version is told before anything else is loaded; the build packs the rest apart. */
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';

/** Does what the environment's arguments say and tells every error itself; never rejects. */
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

/** Says on standard error that standard output took nothing more; the code to end with. */
export async function tellOutputFault(fault: NodeJS.ErrnoException, environment: Environment): Promise<ExitCode> {
  const { tellOutputUnwritable } = await import('./dispatch.ts');
  return tellOutputUnwritable(fault, environment);
}

/** Says that the command waits for something that cannot come any more, a fault of our own; the code to end with. */
export async function tellStalled(environment: Environment): Promise<ExitCode> {
  const { tellStalled: tell } = await import('./dispatch.ts');
  return tell(environment);
}
