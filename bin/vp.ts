/** The entry of `vp`, and the only place that ends the process. */
import { main, reportOutputFailure, reportStalledCommand } from '../src/commands/main.ts';
import { processEnvironment } from '../src/environment/environment.ts';
import { monitorOutput, withOutputInterrupt } from '../src/environment/output.ts';
import { type ExitCode, exitCode } from '../src/errors/exit-code.ts';

const output = monitorOutput(process.stdout, process.stderr);
const environment = withOutputInterrupt(processEnvironment(), output);

/** Resolves when everything written before has been flushed, or has failed. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** A closed reader of the output counts as an interrupt, and needs no message. */
async function codeAfter(code: ExitCode): Promise<ExitCode> {
  if (output.writeError) return reportOutputFailure(output.writeError, environment);
  return output.isReaderGone ? exitCode.interrupted : code;
}

/** The event loop is empty before the command ended: without this the process would exit with 0, as if all were done. */
process.once('beforeExit', () => void reportStalledCommand(environment).then((code) => process.exit(code)));

main(environment).then(async (code) => {
  await Promise.all([written(process.stdout), written(process.stderr)]);
  const end = await codeAfter(code);
  await written(process.stderr);
  process.exit(end);
});
