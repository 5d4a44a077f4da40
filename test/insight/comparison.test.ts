import t from 'tap';
import { type ComparedRun, compareSummaries, summarizeRuns } from '../../src/insight/comparison.ts';
import type { RunOutcome } from '../../src/run/state.ts';

let nextId = 0;

/** Runs of one scenario: `p` passed, `f` failed, `b` could not be judged. */
function createRuns(
  scenario: string,
  results: string,
  durationMs: (index: number) => number = () => 40,
): ComparedRun[] {
  const outcomes: Readonly<Record<string, RunOutcome>> = { p: 'passed', f: 'failed', b: 'broken' };
  return [...results].map((letter, index) => {
    nextId += 1;
    const outcome = outcomes[letter] ?? 'cancelled';
    return {
      ...{ id: nextId, scenario, outcome, durationMs: durationMs(index) },
      failure: outcome === 'failed' ? 'one' : null,
      quarantined: false,
    };
  });
}

const compareRuns = (base: readonly ComparedRun[], head: readonly ComparedRun[]) =>
  compareSummaries(summarizeRuns(base), summarizeRuns(head));

const compareOne = (base: string, head: string) => compareRuns(createRuns('a', base), createRuns('a', head))[0];

t.test('a scenario is classified by its results on both sides', async (t) => {
  for (const [base, head, change] of [
    ['pp', 'ff', 'newly_failing'],
    ['p', 'f', 'newly_failing'],
    ['ff', 'pp', 'fixed'],
    ['ff', 'f', 'failing_before'],
    ['ppp', 'ppp', 'unchanged'],
    ['pppp', 'ppfp', 'flaky'],
    ['pfpp', 'pppp', 'flaky'],
    ['pfpp', 'f', 'flaky'],
    ['', 'pp', 'added'],
    ['pp', '', 'removed'],
    ['pp', 'bb', 'not_judged'],
    ['bb', 'ff', 'not_judged'],
    ['ppb', 'pbp', 'unchanged'],
  ] as const)
    t.equal(compareOne(base, head)?.change, change, `${base} → ${head}`);
});

t.test('a flaky scenario is newly failing or fixed only by more than chance', async (t) => {
  const flaky = 'pppppppppf'.repeat(10);
  t.match(compareOne(flaky, 'f'.repeat(5)), { change: 'newly_failing', failsMoreOften: true });
  t.match(compareOne(flaky, 'p'.repeat(5)), { change: 'flaky' });
  t.match(compareOne('pf'.repeat(20), 'p'.repeat(20)), { change: 'fixed' });
  t.match(compareOne('p'.repeat(100), 'pppffpppfp'.repeat(5)), { change: 'flaky', failsMoreOften: true });
  t.match(compareOne(flaky, flaky), { change: 'flaky', failsMoreOften: false });
});

t.test('a failure that only head has is named', async (t) => {
  const head = createRuns('a', 'ff').map((run) => ({ ...run, failure: 'two' }));
  t.match(compareRuns(createRuns('a', 'ff'), head), [{ change: 'failing_before', newFailures: ['two'] }]);
});

const noise = (index: number): number => ((index * 7919) % 13) - 6;
const createTimedRuns = (ms: number, count = 30): ComparedRun[] =>
  createRuns('a', 'p'.repeat(count), (index) => ms + noise(index));

t.test('slower and faster need significance of the 95th percentile, and a difference that matters', async (t) => {
  const speed = (base: ComparedRun[], head: ComparedRun[]) => compareRuns(base, head)[0]?.speed;
  t.equal(speed(createTimedRuns(100), createTimedRuns(130)), 'slower');
  t.equal(speed(createTimedRuns(130), createTimedRuns(100)), 'faster');
  t.equal(speed(createTimedRuns(100), createTimedRuns(107)), 'same', 'certain, but less than 10 %');
  t.ok((compareRuns(createTimedRuns(100), createTimedRuns(107))[0]?.speedP ?? 1) < 0.01, 'it was certain');
  t.equal(speed(createTimedRuns(100), createTimedRuns(100)), 'same');
  t.equal(speed(createTimedRuns(100), createTimedRuns(300, 7)), 'not_tested', 'fewer than eight runs');
  const outlier = createRuns('a', 'p'.repeat(30), (index) => (index === 3 ? 30_000 : 100 + noise(index)));
  t.equal(speed(createTimedRuns(100), outlier), 'same', 'one slow response decides nothing');
});

t.test(
  'a slow tail is slower though the median stays, and a median that moves below the tail is named as such',
  async (t) => {
    const tail = createRuns('a', 'p'.repeat(100), (index) => (index % 5 === 0 ? 200 : 100) + noise(index));
    t.match(compareRuns(createTimedRuns(100, 100), tail), [
      { speed: 'slower', medianSpeed: 'same', speedP: Number, medianP: Number },
    ]);
    t.match(compareRuns(tail, createTimedRuns(100, 100)), [{ speed: 'faster', medianSpeed: 'same' }]);
    const slowerMedian = createRuns('a', 'p'.repeat(100), (index) => (index % 5 === 0 ? 200 : 150) + noise(index));
    t.match(compareRuns(tail, slowerMedian), [{ speed: 'same', medianSpeed: 'slower' }]);
  },
);

t.test('what is slower is decided over all scenarios by the method of Holm', async (t) => {
  // 9 of 30 are above the p95 of base: p = 0.0061, enough for one scenario and not for fifty.
  const base = (id: string) => createRuns(id, 'p'.repeat(30), (index) => 100 + index / 10);
  const head = (id: string) => createRuns(id, 'p'.repeat(30), (index) => (index < 9 ? 200 : 100));
  const [alone] = compareRuns(base('a'), head('a'));
  t.match(alone, { speed: 'slower' });
  t.ok(Math.abs((alone?.speedP ?? 1) - 0.006_091_457) < 1e-8, `${alone?.speedP}`);
  const others = Array.from({ length: 49 }, (_, index) => `b${index}`);
  const among = compareRuns(
    [...base('a'), ...others.flatMap(base)],
    [...head('a'), ...others.flatMap((id) => base(id))],
  ).find(({ scenario }) => scenario === 'a');
  t.match(among, { speed: 'same', speedP: alone?.speedP });
});

t.test('what needs a look comes first', async (t) => {
  const base = [...createRuns('a', 'pp'), ...createRuns('b', 'ff'), ...createRuns('c', 'pp'), ...createRuns('d', 'pp')];
  const head = [...createRuns('a', 'pp'), ...createRuns('b', 'pp'), ...createRuns('c', 'ff'), ...createRuns('d', 'pf')];
  t.same(
    compareRuns(base, head).map(({ scenario }) => scenario),
    ['c', 'd', 'b', 'a'],
  );
});

t.test('a regression whose failures were all in quarantine says so', async (t) => {
  const inQuarantine = (runs: ComparedRun[]) => runs.map((run) => ({ ...run, quarantined: true }));
  const base = createRuns('a', 'pp');
  t.match(compareRuns(base, inQuarantine(createRuns('a', 'ff')))[0], { change: 'newly_failing', quarantined: true });
  const mixed = [...createRuns('a', 'f'), ...inQuarantine(createRuns('a', 'f'))];
  t.match(compareRuns(base, mixed)[0], { change: 'newly_failing', quarantined: false });
  t.match(compareRuns(base, inQuarantine(createRuns('a', 'pp')))[0], { change: 'unchanged', quarantined: false });
});
