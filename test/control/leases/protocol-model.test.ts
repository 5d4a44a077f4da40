/** Every reachable state keeps the invariants of the model, each of which a rule that is taken out breaks. */
import t from 'tap';
import { explore, invariants, type Limits, type Problem, type Rules } from './protocol-model.ts';

const rules: Rules = {
  hasChallenge: true,
  awaitsAcknowledgement: true,
  checksFence: true,
  checksSession: true,
  returnsUnsent: true,
  repeatsLease: true,
};
const limits: Limits = { runs: 1, maxStarts: 3, maxEpoch: 3, maxFence: 2 };

for (const [name, some] of [
  ['one run and three starts', limits],
  ['two runs and two starts', { ...limits, runs: 2, maxStarts: 2, maxEpoch: 2 }],
] as const)
  t.test(`every reachable state of ${name} keeps the invariants`, async (t) => {
    const { states, problem } = explore(rules, some);
    t.comment(`${states} states`);
    t.equal(problem, null);
    t.ok(states > 10_000);
  });

const mutations: readonly (readonly [change: Partial<Rules>, problem: Problem, maxFence?: number])[] = [
  [{ hasChallenge: false }, 'the newest start was ended'],
  [{ awaitsAcknowledgement: false }, 'a run was sent twice'],
  [{ checksFence: false }, 'a report of an earlier lease was accepted', 3],
  [{ checksSession: false }, 'two executors hold the same lease'],
  [{ returnsUnsent: false }, 'a run that was never sent was lost'],
  [{ repeatsLease: false }, 'a run never ends'],
];
for (const [change, problem, maxFence = limits.maxFence] of mutations)
  t.test(`without ${Object.keys(change)} ${problem}`, async (t) => {
    t.equal(explore({ ...rules, ...change }, { ...limits, maxFence }).problem, problem);
  });

t.test('each invariant is broken by a rule that is taken out, and each rule is taken out', async (t) => {
  t.same(mutations.map(([, problem]) => problem).sort(), invariants.map(({ problem }) => problem).sort());
  t.same(mutations.flatMap(([change]) => Object.keys(change)).sort(), Object.keys(rules).sort());
});
