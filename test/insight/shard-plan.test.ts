import * as fc from 'fast-check';
import t from 'tap';
import { computeMedians, divideIntoShards } from '../../src/insight/shard-plan.ts';

t.test('each scenario is in exactly one shard, whatever its order and history', async (t) => {
  const scenario = fc.stringMatching(/^[A-Z][A-Z0-9-]{0,5}$/);
  const history = fc.dictionary(scenario, fc.integer({ min: 0, max: 60_000 }));
  const property = fc.property(fc.uniqueArray(scenario), fc.integer({ min: 1, max: 9 }), history, (ids, shards, ms) => {
    const durations = new Map(Object.entries(ms));
    const plan = divideIntoShards(ids, shards, durations);
    t.equal(plan.length, shards);
    t.same(plan.flat().sort(), [...ids].sort());
    t.same(plan, divideIntoShards(ids.toReversed(), shards, durations));
  });
  fc.assert(property, { numRuns: 200 });
});

t.test('shards take about the same time, and unknown scenarios count as a typical one', async (t) => {
  const durations = computeMedians([
    { scenario: 'SLOW', ms: 90 },
    { scenario: 'SLOW', ms: 9000 },
    { scenario: 'SLOW', ms: 9000 },
    ...['A', 'B', 'C'].map((scenario) => ({ scenario, ms: 3000 })),
  ]);
  t.same(divideIntoShards(['A', 'B', 'C', 'SLOW'], 2, durations), [['SLOW'], ['A', 'B', 'C']]);
  t.same(divideIntoShards(['A', 'B', 'C', 'NEW', 'SLOW'], 2, durations), [
    ['NEW', 'SLOW'],
    ['A', 'B', 'C'],
  ]);
  t.same(divideIntoShards(['A', 'B'], 3, new Map()), [['A'], ['B'], []]);
});
