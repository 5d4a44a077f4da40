/** Tests with processes: a sandbox for each, and nothing left when the test ends. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Sandbox } from './process-sandbox.ts';
import { Processes } from './processes.ts';

export {
  createOwnerClient,
  fastClockVp,
  listeningUrl,
  type ProcessSettings,
  Sandbox,
  type ServedControlPlane,
} from './process-sandbox.ts';

/** Declares a test with a sandbox. Its processes are killed at the end, and none may be left. `skip` is the reason. */
export function sandboxTest(
  name: string,
  body: (t: Test, sandbox: Sandbox) => Promise<void>,
  skip: string | false = false,
): void {
  t.test(name, { skip }, async (t) => {
    const processes = new Processes();
    // The test's folder may be a link, which leads elsewhere in the mount namespace of a process.
    const folder = join(realpathSync(t.testdir()), 'scene');
    mkdirSync(folder);
    try {
      await body(t, new Sandbox(folder, processes));
    } catch (error) {
      t.comment(processes.allOutput);
      throw error;
    } finally {
      t.same(await processes.clear(), [], 'nothing is left running');
    }
  });
}
