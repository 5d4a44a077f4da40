/** What lists call a suite. */
import t from 'tap';
import { getSuiteStatus } from '../../src/contract/suite-status.ts';
import type { Suite } from '../../src/contract/suites-api.ts';

function suiteWith(state: Suite['state'], counts: Partial<Suite['counts']>, outcome: Suite['outcome'] = null): Suite {
  const none = { failed: 0, broken: 0, cancelled: 0, passed: 0, running: 0, queued: 0, not_requested: 0 };
  return { state, outcome, counts: { ...none, ...counts } } as Suite;
}

t.test('a suite is queued until its first run is leased, and then runs until the last one has ended', async (t) => {
  t.equal(getSuiteStatus(suiteWith('in_progress', { queued: 3 })), 'queued');
  t.equal(getSuiteStatus(suiteWith('in_progress', { running: 1, queued: 2 })), 'running');
  t.equal(getSuiteStatus(suiteWith('in_progress', { passed: 1, queued: 2 })), 'running', 'between two runs');
  t.equal(getSuiteStatus(suiteWith('in_progress', { quarantined: 1, queued: 2 })), 'running');
  t.equal(getSuiteStatus(suiteWith('ended', { passed: 3 }, 'passed')), 'passed');
});

t.test('a suite that waits for another shard is incomplete', async (t) => {
  t.equal(getSuiteStatus(suiteWith('incomplete', { passed: 1, not_requested: 2 })), 'incomplete');
});
