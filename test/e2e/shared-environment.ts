/**
 * Tests that go on with the processes of the one before: a control plane and an executor take 0.3 s of processor time each to start, and
 * many of these tests little more.
 */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Processes } from './processes.ts';
import { Sandbox } from './sandbox.ts';
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts';

type SharedTest<T> = (name: string, body: (t: Test, shared: T) => Promise<void>) => void;

let openedCount = 0;

/** A sandbox for several tests of this file. Its processes are killed at the end, and none may be left. */
function openSandbox(): Sandbox {
  openedCount += 1;
  const folder = join(realpathSync(openedCount === 1 ? t.testdir() : t.testdirName), `shared-${openedCount}`);
  mkdirSync(folder);
  const processes = new Processes();
  t.teardown(async () => {
    const remaining = await processes.clear();
    if (remaining.length > 0) throw new Error(`left running: ${remaining.join(', ')}`);
  });
  return new Sandbox(folder, processes);
}

/**
 * A function that declares tests which share what `open` starts. A test that fails ends its processes, and the next one gets others.
 */
export function shareBetweenTests<T>(
  open: (t: Test, sandbox: Sandbox) => Promise<T>,
  beginTest: (shared: T) => Promise<void> = async () => {},
): SharedTest<T> {
  let opened: { readonly sandbox: Sandbox; readonly shared: Promise<T> } | undefined;
  return (name, body) => {
    t.test(name, async (subtest) => {
      if (!opened) {
        const sandbox = openSandbox();
        opened = { sandbox, shared: open(t, sandbox) };
      }
      const { shared, sandbox } = opened;
      try {
        await beginTest(await shared);
        await body(subtest, await shared);
      } catch (error) {
        subtest.comment(sandbox.processes.allOutput);
        subtest.fail(error instanceof Error ? error : new Error(String(error)));
      }
      if (subtest.passing()) return;
      opened = undefined;
      await sandbox.processes.clear();
    });
  };
}

/** Tests that share an environment: see {@link TestEnvironment.beginTest}. The store has the runs of those before. */
export const shareEnvironment = (): SharedTest<TestEnvironment> =>
  shareBetweenTests(startTestEnvironment, (env) => env.beginTest());
