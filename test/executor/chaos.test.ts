/**
 * The real executor with the real control plane on real stores, while calls and responses are lost at random, and
 * executors are killed and restarted. In every case each run ends once, nothing is sent twice, and what passed was
 * sent.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { ControlPort } from '../../src/contract/executor-api.ts';
import { type OpenControl, openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { getHeader, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { startTestExecutor, type TestExecutor } from './test-executor.ts';
import { scenarioText } from './test-project.ts';

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);

/** Loses one call in six; in half of these cases the response. */
function loseRandomCalls(port: ControlPort, chance: () => number): ControlPort {
  const forward = async <T>(call: () => Promise<T>): Promise<T> => {
    const draw = chance();
    if (draw < 1 / 12) throw new TypeError('fetch failed');
    const response = await call();
    if (draw < 2 / 12) throw new TypeError('terminated');
    return response;
  };
  return {
    challenge: (message, signal) => forward(() => port.challenge(message, signal)),
    hello: (message, signal) => forward(() => port.hello(message, signal)),
    poll: (message, signal) => forward(() => port.poll(message, signal)),
    heartbeat: (message, signal) => forward(() => port.heartbeat(message, signal)),
    complete: (message, signal) => forward(() => port.complete(message, signal)),
    giveBack: (message, signal) => forward(() => port.giveBack(message, signal)),
    directRun: (message, signal) => forward(() => port.directRun(message, signal)),
  };
}

type ChaosResult = {
  readonly states: readonly string[];
  readonly arrivals: ReadonlyMap<string, number>;
  readonly passed: readonly string[];
};

/** Requests runs, kills the executor after each delay, waits for the end of all runs. */
async function runWithKills(
  folder: string,
  seed: number,
  killsAfterMs: readonly number[],
  isControlInProcess = false,
): Promise<ChaosResult> {
  const random = fc.sample(fc.noBias(fc.nat(9999)), { seed, numRuns: 5000 });
  const chance = (): number => (random.pop() ?? 9999) / 10_000;
  const parts = {
    clock: systemClock,
    random: systemRandom,
    pid: 1,
    onError: (error: unknown) => t.fail(String(error)),
  };
  const control: OpenControl = await openControl({ folder: join(folder, 'control'), ...parts });
  const target = await startHttpTarget((request, response, arrived) => {
    setTimeout(() => respondWithJson({ count: 1 })(request, response, arrived), chance() * 6);
  });
  await control.instances.create({ instance_id: 'shop' }, { name: 'test' });
  const startExecutor = (): Promise<TestExecutor> =>
    startTestExecutor({
      folder,
      control: loseRandomCalls(control.executorPort('shop'), chance),
      origin: target.origin,
      isControlInProcess,
    });
  let testExecutor = await startExecutor();
  const scenarios = Array.from({ length: 30 }, () => ({ text }));
  const requested = await control.runs.request('shop', { scenarios }, { name: 'test' });
  for (const afterMs of killsAfterMs) {
    await systemClock.sleep(afterMs);
    await testExecutor.kill();
    testExecutor = await startExecutor();
  }
  const finalRuns = await Promise.all(requested.map(({ run_id }) => control.runs.wait(run_id, 20_000)));
  await testExecutor.stop();
  const arrivals = new Map<string, number>();
  for (const request of target.arrived) {
    const id = getHeader(request, 'x-correlation-id') ?? '';
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
  }
  const passed = finalRuns.filter(({ state }) => state === 'passed').map((run) => run.correlation_id);
  await target.close();
  await control.close();
  return { states: finalRuns.map(({ state }) => state), arrivals, passed };
}

t.test('lost messages alone do not lose runs', async (t) => {
  for (const isControlInProcess of [false, true]) {
    const { states, arrivals } = await runWithKills(t.testdir(), 1, [], isControlInProcess);
    t.strictSame(new Set(states), new Set(['passed']));
    t.strictSame(new Set(arrivals.values()), new Set([1]));
  }
});

t.test('after repeated kills no run is sent twice and every run ends', async (t) => {
  for (const [seed, kills, isControlInProcess] of [
    [2, [15, 30, 7, 22], false],
    [3, [3, 3, 40, 11, 5], false],
    [4, [60, 1, 2, 25], false],
    [5, [12, 25, 9, 31], true],
    [6, [4, 2, 33, 14, 6], true],
  ] as const) {
    const { states, arrivals, passed } = await runWithKills(t.testdir(), seed, kills, isControlInProcess);
    t.ok(
      states.every((state) => state === 'passed' || state === 'failed'),
      `${states}`,
    );
    t.ok(
      [...arrivals.values()].every((times) => times === 1),
      'nothing was sent twice',
    );
    t.ok(
      passed.every((id) => arrivals.get(id) === 1),
      'what passed was sent',
    );
    const lost = states.filter((state) => state === 'failed').length;
    t.ok(lost <= kills.length, `at most one run is lost with each kill (${lost})`);
  }
});
