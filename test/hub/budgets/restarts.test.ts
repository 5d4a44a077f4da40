/** What was used of budgets, over the end of the process: from the stored counts and the audit since. */
import t from 'tap';
import type { UsageBudget } from '../../../src/contract/hubs/policy-api.ts';
import { type BudgetMeter, HubBudgets } from '../../../src/hub/budgets/hub-budgets.ts';
import { RecordedUsage } from '../../../src/hub/budgets/recorded-usage.ts';
import type { BudgetUse } from '../../../src/hub/policy/call-policy.ts';
import { findBudgetUsage } from '../../../src/store/control/hubs/budget-usage.ts';
import { deleteHub } from '../../../src/store/control/hubs/hubs.ts';
import { createEntry } from '../audit/test-audit.ts';
import { createPrincipal, max, startGovernance, tickets } from '../policy/test-governance.ts';

const dayMs = 86_400_000;
const hub = { id: 'hub', slug: 'acme' };
const budgets: readonly UsageBudget[] = [
  { per: 'person', period: 'day', calls: 100 },
  { per: 'hub', period: 'month', bytes: 100_000 },
];
const policy = { budgets, revision: 1 };
const principal = createPrincipal(max);

async function startBudgets(t: Parameters<typeof startGovernance>[0]) {
  const parts = await startGovernance(t, { intents: true, maxAgeMs: 3_600_000 });
  const { audit, clock, database } = parts;
  const start = () =>
    new HubBudgets({
      ...{ audit, clock, database },
      logSecurityEvent: () => undefined,
      onError: (error) => t.fail('background work failed', { error }),
    });
  const begin = (meter: BudgetMeter | undefined): BudgetUse => {
    const use = meter?.begin({ principal, connection: tickets, method: 'tools/call', tool: 'create' });
    if (use && 'charge' in use) return use;
    throw new TypeError('refused');
  };
  /** A call of 1000 bytes, as the gateway makes it. */
  const call = async (meter: BudgetMeter | undefined, hasEnd = true): Promise<void> => {
    const use = begin(meter);
    const { id, name } = tickets;
    const sizes = { requestBytes: 400, responseBytes: 600 };
    const entry = createEntry({ principal, connection: { id, name }, atMs: clock.nowMs(), ...sizes });
    const intentSeq = await audit.recordIntent?.({ ...entry, outcome: 'started', responseBytes: 0 });
    if (!hasEnd) return;
    use.charge(1000);
    await audit.record({ ...entry, intentSeq });
  };
  const used = async (service: HubBudgets) =>
    (await service.list(hub, policy)).map(({ budget, calls, bytes }) => [budget.period, calls, bytes]).sort();
  return { ...parts, start, begin, call, used };
}

t.test('a process that was killed has counted everything that the audit has', async (t) => {
  const { start, call, used } = await startBudgets(t);
  const first = start();
  const meter = await first.open(hub, policy);
  await Promise.all([call(meter), call(meter), call(meter), call(meter, false)]);
  const expected = [
    ['day', 4, 3000],
    ['month', 4, 3000],
  ];
  t.same(await used(first), expected);
  const second = start();
  t.same(await used(second), expected, 'a call without an outcome counts too');
  await call(await second.open(hub, policy));
  await second.close();
  const third = start();
  t.same(await used(third), [
    ['day', 5, 4000],
    ['month', 5, 4000],
  ]);
  await first.close();
  await third.close();
});

t.test('retention of the audit gives nothing of a budget back', async (t) => {
  const { start, call, used, audit, clock } = await startBudgets(t);
  const first = start();
  await call(await first.open(hub, policy));
  await first.close();
  clock.jump(2 * 3_600_000);
  t.ok((await audit.applyRetention()) > 0);
  t.same((await audit.search('hub', { limit: 10 })).items, []);
  const second = start();
  await call(await second.open(hub, policy));
  await second.close();
  const third = start();
  t.same(await used(third), [
    ['day', 2, 2000],
    ['month', 2, 2000],
  ]);
  await third.close();
});

t.test('a day ends at midnight UTC and a month with its last day, also where the clock goes back', async (t) => {
  const { start, call, used, clock } = await startBudgets(t);
  const service = start();
  await call(await service.open(hub, policy));
  clock.jump(dayMs);
  await call(await service.open(hub, policy));
  t.same(await used(service), [
    ['day', 1, 1000],
    ['month', 2, 2000],
  ]);
  clock.jump(-dayMs);
  t.same(await used(service), [
    ['day', 1, 1000],
    ['month', 2, 2000],
  ]);
  clock.jump(40 * dayMs);
  t.same(await used(service), []);
  await service.close();
});

t.test('a call that is not sent is given back, once', async (t) => {
  const { start, begin, used } = await startBudgets(t);
  const service = start();
  const use = begin(await service.open(hub, policy));
  use.cancel();
  use.cancel();
  use.charge(5000);
  t.same(await used(service), [
    ['day', 0, 0],
    ['month', 0, 0],
  ]);
  await service.close();
});

t.test('many calls while the counts are read are counted once each', async (t) => {
  const { start, call, used } = await startBudgets(t);
  const first = start();
  const meter = await first.open(hub, policy);
  const calls = Array.from({ length: 30 }, () => call(meter));
  const second = start();
  const during = second.open(hub, policy);
  await Promise.all([...calls, during]);
  await second.close();
  await first.close();
  t.same(await used(start()), [
    ['day', 30, 30_000],
    ['month', 30, 30_000],
  ]);
});

t.test('the state of a hub that was removed is dropped, and nothing of it is stored', async (t) => {
  const { start, call, clock, database } = await startBudgets(t);
  const service = start();
  await call(await service.open(hub, policy));
  await database.write((sql) => deleteHub(sql, hub.id));
  clock.advance(30_000);
  await service.close();
  t.equal(await database.read((sql) => findBudgetUsage(sql, hub.id, 'day')), undefined);
});

t.test('an entry that is announced after it was read counts once', async (t) => {
  const { start, call, audit, database } = await startBudgets(t);
  const first = start();
  await call(await first.open(hub, policy));
  await first.close();
  const calls = (await audit.search(hub.id, { limit: 10 })).items.reverse();
  const recorded = new RecordedUsage({ database, audit }, { hubId: hub.id, period: 'month', startMs: 0 });
  await recorded.load();
  const before = recorded.counts.list();
  for (const entry of calls) recorded.onWritten(entry);
  t.same(recorded.counts.list(), before);
});

t.test('calls that ended in another order than they began are all counted again', async (t) => {
  const { start, used, audit, clock } = await startBudgets(t);
  const { id, name } = tickets;
  clock.jump(Math.ceil(clock.nowMs() / dayMs) * dayMs + dayMs / 2 - clock.nowMs());
  for (let earlierMs = 0; earlierMs < 5; earlierMs += 1)
    await audit.record(
      createEntry({
        principal,
        connection: { id, name },
        atMs: clock.nowMs() - earlierMs,
        requestBytes: 1000,
        responseBytes: 0,
      }),
    );
  const service = start();
  t.same(await used(service), [
    ['day', 5, 5000],
    ['month', 5, 5000],
  ]);
  await service.close();
});
