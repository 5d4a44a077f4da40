/** Repeated kill -9 at random times while runs are requested: acknowledged runs end, and nothing is sent twice. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Run } from '../../src/contract/api.ts';
import { eventually } from '../eventually.ts';
import { listeningUrl, sandboxTest } from './sandbox.ts';
import { instance, scenarioId, startTestEnvironment, type TestEnvironment } from './test-environment.ts';

const killCount = 10;
const batchCount = 30;
const batchSize = 3;

/** Retries with the same idempotency key until there is a response. */
async function requestUntilAcknowledged(env: TestEnvironment): Promise<readonly Run[]> {
  const idempotencyKey = randomUUID();
  const scenarios = Array.from({ length: batchSize }, () => ({ id: scenarioId }));
  return eventually(() => env.client.runs.request(instance, { scenarios }, { idempotencyKey }), {
    description: 'an acknowledgement',
  });
}

async function requestRepeatedly(env: TestEnvironment): Promise<Run[]> {
  const runs: Run[] = [];
  for (let count = 0; count < batchCount; count += 1) {
    runs.push(...(await requestUntilAcknowledged(env)));
    await sleepFor(randomInt(60));
  }
  return runs;
}

/** Times are random on purpose: other tests kill at specific states. */
async function killRepeatedly(env: TestEnvironment): Promise<void> {
  for (let count = 0; count < killCount; count += 1) {
    await sleepFor(randomInt(250));
    if (randomInt(2) === 0) {
      await env.killControlPlane();
      await env.restartControlPlane();
    } else {
      await env.killExecutor();
      await listeningUrl(env.startExecutor());
    }
  }
}

sandboxTest('a storm', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox, { delayMs: 10 });
  await env.startRegisteredExecutor();
  const [runs] = await Promise.all([requestRepeatedly(env), killRepeatedly(env)]);
  const ended = await env.waitForRuns(runs);
  const { log } = env.target;

  t.equal(runs.length, batchCount * batchSize);
  t.equal(new Set(runs.map(({ run_id }) => run_id)).size, runs.length, 'every run has an id of its own');
  t.equal(new Set(log).size, log.length, 'nothing was sent twice');
  const known = new Set(runs.map(({ correlation_id }) => correlation_id));
  t.same(
    log.filter((id) => !known.has(id)),
    [],
    'nothing was sent that was not acknowledged',
  );
  const inconsistent = ended.filter(({ result, failure_kind: kind, correlation_id: id, report }) =>
    result === 'passed' ? !log.includes(id) || report?.result !== 'passed' : kind !== 'executor_lost',
  );
  t.same(inconsistent, [], 'what passed was sent, and what did not was lost with its executor');
  const lost = ended.filter(({ failure_kind: kind }) => kind === 'executor_lost');
  t.ok(lost.length <= killCount, 'no kill costs more than the run in hand');
  const listed = await env.client.runs.list({ limit: 200 });
  t.same(
    listed.items.map(({ run_id }) => run_id),
    runs
      .map(({ run_id }) => run_id)
      .sort()
      .reverse(),
    'the history has exactly these',
  );
  t.match(await env.client.instances.get(instance), { running: null, queued: 0 });
});
