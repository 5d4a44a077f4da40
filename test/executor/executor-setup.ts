/** A control plane, a target and an executor that end with the test. */
import type { Test } from 'tap';
import { type HttpTarget, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import { startTestExecutor, type TestExecutor } from './test-executor.ts';

export type ExecutorSetup = {
  readonly control: FakeControlPlane;
  /** Responds with `{"count":1}` until the test replaces its handler. */
  readonly target: HttpTarget;
  readonly testExecutor: TestExecutor;
  readonly folder: string;
  /** Restarts the executor on the same store. */
  restart(): Promise<TestExecutor>;
};

/** `prepare` is called before the executor starts. */
export async function createExecutorSetup(
  t: Test,
  prepare: (control: FakeControlPlane) => void = () => {},
  isControlInProcess = false,
): Promise<ExecutorSetup> {
  const control = new FakeControlPlane();
  prepare(control);
  const target = await startHttpTarget(respondWithJson({ count: 1 }));
  const folder = t.testdir();
  const startedExecutors: TestExecutor[] = [];
  const restart = async (): Promise<TestExecutor> => {
    const testExecutor = await startTestExecutor({ folder, control, origin: target.origin, isControlInProcess });
    startedExecutors.push(testExecutor);
    return testExecutor;
  };
  t.teardown(async () => {
    await startedExecutors.at(-1)?.stop();
    await target.close();
  });
  return { control, target, folder, testExecutor: await restart(), restart };
}

/** Delays the target's responses. */
export function delayResponses(target: HttpTarget, delayMs: number): void {
  target.handler = (request, response, arrived) => {
    setTimeout(() => respondWithJson({ count: 1 })(request, response, arrived), delayMs);
  };
}

/** Keeps the target's responses back until the returned function is called. */
export function holdResponses(target: HttpTarget): () => void {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  target.handler = (request, response, arrived) => {
    released.then(() => respondWithJson({ count: 1 })(request, response, arrived));
  };
  return release;
}

/** Keeps the target from responding. */
export function neverRespond(target: HttpTarget): void {
  target.handler = () => {};
}
