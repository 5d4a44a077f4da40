/** Invariants: the texts of `problem` in protocol-model.ts, each of which a rule that is taken out breaks. */
import t from 'tap';
import { explore, type Limits, type Rules } from './protocol-model.ts';

const rules: Rules = { hasChallenge: true, awaitsAcknowledgement: true, checksFence: true, returnsUnsent: true };
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

const mutations: readonly (readonly [change: Partial<Rules>, problem: string, maxFence?: number])[] = [
  [{ hasChallenge: false }, 'the newest start was ended'],
  [{ awaitsAcknowledgement: false }, 'a run was sent twice'],
  [{ checksFence: false }, 'a report of an earlier lease was accepted', 3],
  [{ returnsUnsent: false }, 'a run that was never sent was lost'],
];
for (const [change, problem, maxFence = limits.maxFence] of mutations)
  t.test(`without ${Object.keys(change)} ${problem}`, async (t) => {
    t.equal(explore({ ...rules, ...change }, { ...limits, maxFence }).problem, problem);
  });
