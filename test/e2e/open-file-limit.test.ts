/** `ulimit -n`: a control plane that may not open enough files names the limit, wherever it notices it. */
import { join } from 'node:path';
import { packedFile } from '../packed/packed.ts';
import { sandboxTest } from './sandbox.ts';

/** Depending on the machine, the runtime itself needs 20 to 24. */
const limits = [22, 24, 26, 28, 30];

sandboxTest('a store that the limit on open files keeps closed is not blamed on its folder', async (t, sandbox) => {
  const results = await Promise.all(
    limits.map((limit) => {
      const data = join(sandbox.folder, `plane-${limit}`);
      const command = `ulimit -n ${limit}; exec "$0" serve --json --port 0 --data "${data}"`;
      return sandbox.start('/bin/sh', ['-c', command, packedFile], { lifetimeMs: 5000 }).ended;
    }),
  );
  const refusals = results.map(({ stdout, stderr }) => stdout + stderr).filter((text) => text.includes('STORE_'));
  t.ok(refusals.length > 0, 'one of the limits is low enough');
  for (const text of refusals) {
    t.match(text, 'too many open files (EMFILE)');
    t.match(text, 'raise the limit on open files');
    t.notMatch(text, 'check that the folder exists');
  }
});
