/** kill -9 at any moment, again and again, while runs are requested: what was acknowledged ends, and nothing is sent twice. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Run } from '../../src/contract/api.ts';
import { type House, house, instance, scenarioId } from './house.ts';
import { eventually } from './processes.ts';
import { listeningUrl, scene } from './stage.ts';

const kills = 10;
const batches = 30;
const batch = 3;

/** As a careful caller does: the same key again until there is an answer. */
async function requestSurely(at: House): Promise<readonly Run[]> {
  const idempotencyKey = randomUUID();
  const scenarios = Array.from({ length: batch }, () => ({ id: scenarioId }));
  return eventually('an acknowledgement', () =>
    at.client.runs.request(instance, { scenarios }, { idempotencyKey }).catch(() => undefined),
  );
}

async function keepRequesting(at: House): Promise<Run[]> {
  const runs: Run[] = [];
  for (let count = 0; count < batches; count += 1) {
    runs.push(...(await requestSurely(at)));
    await sleepFor(randomInt(60));
  }
  return runs;
}

/** The moments are chance on purpose: the other tests kill at those that have a name. */
async function keepKilling(at: House): Promise<void> {
  for (let count = 0; count < kills; count += 1) {
    await sleepFor(randomInt(250));
    if (randomInt(2) === 0) {
      await at.killPlane();
      await at.restartPlane();
    } else {
      await at.killExecutor();
      await listeningUrl(at.startExecutor());
    }
  }
}

scene('a storm', async (t, stage) => {
  const at = await house(t, stage, 10);
  await at.welcomeExecutor();
  const [runs] = await Promise.all([keepRequesting(at), keepKilling(at)]);
  const ended = await at.ended(runs);
  const { log } = at.target;

  t.equal(runs.length, batches * batch);
  t.equal(new Set(runs.map(({ run_id }) => run_id)).size, runs.length, 'every run has an id of its own');
  t.equal(new Set(log).size, log.length, 'nothing was sent twice');
  const known = new Set(runs.map(({ correlation_id }) => correlation_id));
  t.same(
    log.filter((id) => !known.has(id)),
    [],
    'nothing was sent that was not acknowledged',
  );
  const odd = ended.filter(({ result, failure_kind: kind, correlation_id: id, report }) =>
    result === 'passed' ? !log.includes(id) || report?.result !== 'passed' : kind !== 'executor_lost',
  );
  t.same(odd, [], 'what passed was sent, and what did not was lost with its executor');
  const lost = ended.filter(({ failure_kind: kind }) => kind === 'executor_lost');
  t.ok(lost.length <= kills, 'no kill costs more than the run in hand');
  const listed = await at.client.runs.list({ limit: 200 });
  t.same(
    listed.items.map(({ run_id }) => run_id),
    runs
      .map(({ run_id }) => run_id)
      .sort()
      .reverse(),
    'the history has exactly these',
  );
  t.match(await at.client.instances.get(instance), { running: null, queued: 0 });
});
