/** The entry of `vp`, and the only place that ends the process. */
import { main, tellOutputFault, tellStalled } from '../src/commands/main.ts';
import { processEnvironment } from '../src/environment/environment.ts';
import { heedingOutput, watchOutput } from '../src/environment/output.ts';
import { type ExitCode, exitCode } from '../src/errors/exit-code.ts';

const output = watchOutput(process.stdout, process.stderr);
const environment = heedingOutput(processEnvironment(), output);

/** Resolves when all that was written before has gone out, or never will. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** A reader who left has interrupted us, and needs no message. */
async function codeAfter(code: ExitCode): Promise<ExitCode> {
  if (output.fault) return tellOutputFault(output.fault, environment);
  return output.left ? exitCode.interrupted : code;
}

/** Nothing is left that could end the command: without this the process would end with 0, as if all were done. */
process.once('beforeExit', () => void tellStalled(environment).then((code) => process.exit(code)));

main(environment).then(async (code) => {
  await Promise.all([written(process.stdout), written(process.stderr)]);
  const end = await codeAfter(code);
  await written(process.stderr);
  process.exit(end);
});
