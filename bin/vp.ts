/** The entry of `vp`, and the only place that ends the process. */
import { main } from '../src/commands/main.ts';
import { processEnvironment } from '../src/environment/environment.ts';
import { exitCode } from '../src/errors/exit-code.ts';

/** A reader who left (`vp runs | head -1`) has interrupted us, and needs no message. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitCode.interrupted : exitCode.broken),
  );
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

main(processEnvironment()).then(async (code) => {
  await Promise.all([written(process.stdout), written(process.stderr)]);
  process.exit(code);
});
