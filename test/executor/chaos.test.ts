/**
 * The real executor against the real control plane on real stores, with calls and answers lost at random, executors killed
 * and started again. Whatever happens: every run ends once, nothing is sent twice, and what passed was sent.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { ControlPort } from '../../src/contract/executor-api.ts';
import { type OpenControl, openControl } from '../../src/control/open.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { headerIn, httpTarget, json } from '../targets/http-target.ts';
import { scenarioText } from './project.ts';
import { type Started, start } from './started.ts';

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);

/** Loses one call in six, half of them on the way back. */
function lossy(port: ControlPort, chance: () => number): ControlPort {
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    const fate = chance();
    if (fate < 1 / 12) throw new TypeError('fetch failed');
    const answer = await call();
    if (fate < 2 / 12) throw new TypeError('terminated');
    return answer;
  };
  return {
    hello: (message, signal) => through(() => port.hello(message, signal)),
    poll: (message, signal) => through(() => port.poll(message, signal)),
    heartbeat: (message, signal) => through(() => port.heartbeat(message, signal)),
    complete: (message, signal) => through(() => port.complete(message, signal)),
    giveBack: (message, signal) => through(() => port.giveBack(message, signal)),
    directRun: (message, signal) => through(() => port.directRun(message, signal)),
  };
}

type Outcome = {
  readonly states: readonly string[];
  readonly arrivals: ReadonlyMap<string, number>;
  readonly passed: readonly string[];
};

/** Requests runs, kills the executor as often as told, waits for the end of all. */
async function live(folder: string, seed: number, killsAfterMs: readonly number[]): Promise<Outcome> {
  const random = fc.sample(fc.noBias(fc.nat(9999)), { seed, numRuns: 5000 });
  const chance = (): number => (random.pop() ?? 9999) / 10_000;
  const parts = {
    clock: systemClock,
    random: systemRandom,
    pid: 1,
    onFault: (fault: unknown) => t.fail(String(fault)),
  };
  const control: OpenControl = await openControl({ folder: join(folder, 'control'), ...parts });
  const target = await httpTarget((request, response, arrived) => {
    setTimeout(() => json({ count: 1 })(request, response, arrived), chance() * 6);
  });
  await control.instances.create({ instance_id: 'shop' }, { name: 'test' });
  const begin = (): Promise<Started> =>
    start({ folder, control: lossy(control.executorOf('shop'), chance), origin: target.origin });
  let started = await begin();
  const scenarios = Array.from({ length: 30 }, () => ({ text }));
  const requested = await control.runs.request('shop', { scenarios }, { name: 'test' });
  for (const afterMs of killsAfterMs) {
    await systemClock.sleep(afterMs);
    await started.kill();
    started = await begin();
  }
  const ended = await Promise.all(requested.map(({ run_id }) => control.runs.wait(run_id, 20_000)));
  await started.stop();
  const arrivals = new Map<string, number>();
  for (const one of target.arrived) {
    const id = headerIn(one, 'x-correlation-id') ?? '';
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
  }
  const passed = ended.filter(({ state }) => state === 'passed').map((run) => run.correlation_id);
  await target.close();
  await control.close();
  return { states: ended.map(({ state }) => state), arrivals, passed };
}

t.test('lost messages alone cost no run', async (t) => {
  const { states, arrivals } = await live(t.testdir(), 1, []);
  t.strictSame(new Set(states), new Set(['passed']));
  t.strictSame(new Set(arrivals.values()), new Set([1]));
});

t.test('killed again and again, no run is sent twice and every run ends', async (t) => {
  for (const [seed, kills] of [
    [2, [15, 30, 7, 22]],
    [3, [3, 3, 40, 11, 5]],
    [4, [60, 1, 2, 25]],
  ] as const) {
    const { states, arrivals, passed } = await live(t.testdir(), seed, kills);
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
