import t from 'tap';
import {
  findUsualIntervalMs,
  type StatusRun,
  type StatusScenario,
  summarizeStatus,
} from '../../src/insight/status-summary.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = 1_000 * dayMs;

function toRun(agoMs: number, outcome: StatusRun['outcome'] = 'passed'): StatusRun {
  return { atMs: nowMs - agoMs, outcome, failureKind: outcome === 'broken' ? 'timeout' : null };
}

function toScenario(id: string, history: readonly StatusRun[], part: Partial<StatusScenario> = {}): StatusScenario {
  return { id, title: id, isQuarantined: false, newest: history[0], history, isCut: false, ...part };
}

/** Newest first, one every `everyMs`, the newest `agoMs` ago. */
function toHistory(everyMs: number, count: number, agoMs = 0): StatusRun[] {
  return Array.from({ length: count }, (_, index) => toRun(agoMs + index * everyMs));
}

const summarize = (scenarios: readonly StatusScenario[], staleAfterMs?: number) =>
  summarizeStatus(scenarios, { nowMs, staleAfterMs });

t.test('only what passed and is recent is green', async (t) => {
  const daily = toHistory(dayMs, 10, hourMs);
  t.match(summarize([toScenario('a', daily), toScenario('b', daily)]), { state: 'passing', counts: { passing: 2 } });
  const failing = toScenario('b', [toRun(0, 'failed'), ...daily]);
  t.match(summarize([toScenario('a', daily), failing]), {
    ...{ state: 'failing', counts: { passing: 1, failing: 1 } },
    scenarios: [{ scenario: { id: 'b' }, status: 'failing', passed: 10, failed: 1 }, { scenario: { id: 'a' } }],
  });
  const broken = toScenario('b', [toRun(0, 'broken'), ...daily]);
  t.match(summarize([toScenario('a', daily), broken]), { state: 'incomplete', counts: { not_judged: 1 } });
  t.match(summarize([toScenario('a', daily), toScenario('b', [])]), { state: 'incomplete', counts: { not_run: 1 } });
  t.equal(summarize([toScenario('b', [])]).state, 'no_runs');
  t.equal(summarize([]).state, 'no_runs', 'a selection without scenarios is not green');
});

t.test('what is in quarantine counts apart, and does not make it green', async (t) => {
  const daily = toHistory(dayMs, 10, hourMs);
  const apart = { isQuarantined: true };
  const hidden = toScenario('b', [toRun(0, 'failed')], apart);
  t.match(summarize([toScenario('a', daily), hidden]), {
    ...{ state: 'incomplete', counts: { passing: 1, failing: 0 } },
    quarantined: [{ scenario: { id: 'b' }, status: 'failing' }],
  });
  t.equal(summarize([toScenario('a', daily), toScenario('b', daily, apart)]).state, 'passing');
  t.equal(summarize([toScenario('b', daily, apart)]).state, 'no_runs', 'nothing else is left to count');
});

t.test('after twice the usual interval without a run it is stale, passing or failing', async (t) => {
  const state = (agoMs: number, first: StatusRun['outcome'] = 'passed') => {
    const [newest, ...rest] = toHistory(dayMs, 10, agoMs);
    return summarize([toScenario('a', [{ ...toRun(agoMs), outcome: first, atMs: newest?.atMs ?? 0 }, ...rest])]).state;
  };
  t.equal(state(2 * dayMs), 'passing');
  t.equal(state(2 * dayMs + 1), 'stale');
  t.equal(state(2 * dayMs + 1, 'failed'), 'stale');
  const given = summarize([toScenario('a', toHistory(dayMs, 10, hourMs + 1))], hourMs);
  t.match(given, { state: 'stale', staleAfterMs: hourMs, counts: { stale: 1 } });
});

t.test('one scenario that no longer runs is seen beside others that do', async (t) => {
  const scenarios = [toScenario('a', toHistory(dayMs, 10)), toScenario('b', toHistory(dayMs, 5, 5 * dayMs))];
  t.match(summarize(scenarios), { state: 'incomplete', counts: { passing: 1, stale: 1 } });
});

t.test('a nightly scenario beside one of every quarter of an hour is not stale in between', async (t) => {
  const often = toScenario('a', toHistory(hourMs / 4, 20), { isCut: true });
  const nightly = toScenario('b', toHistory(dayMs, 20, 20 * hourMs));
  t.match(summarize([often, nightly]), { state: 'passing', staleAfterMs: hourMs / 2 });
  const stopped = toScenario('a', toHistory(hourMs / 4, 20, hourMs), { isCut: true });
  t.equal(summarize([stopped, nightly]).state, 'stale');
});

t.test('the usual interval is that between suites, not that between runs of one', async (t) => {
  const suite = (dayAgo: number): number[] =>
    Array.from({ length: 40 }, (_, index) => nowMs - dayAgo * dayMs - index * 1000);
  const usualMs = findUsualIntervalMs([0, 1, 2, 3, 4].flatMap(suite)) ?? 0;
  t.ok(usualMs > 23 * hourMs && usualMs < 25 * hourMs);
  t.equal(findUsualIntervalMs([1, 2, 3]), undefined, 'three runs do not say what is usual');
});

t.test('without enough runs a week is the limit', async (t) => {
  t.equal(summarize([toScenario('a', [toRun(7 * dayMs)])]).state, 'passing');
  t.equal(summarize([toScenario('a', [toRun(7 * dayMs + 1)])]).state, 'stale');
  const old = toScenario('a', [], { newest: toRun(400 * dayMs) });
  t.equal(summarize([old]).state, 'stale', 'also where the newest run is older than the window');
});
