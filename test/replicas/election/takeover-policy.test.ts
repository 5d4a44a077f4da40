import t from 'tap';
import { TakeoverPolicy } from '../../../src/replicas/election/takeover-policy.ts';
import type { ElectionState } from '../../../src/store/postgres/election.ts';

const timings = { expiryMs: 5000, confirmMs: 100 };

function createState(change: Partial<ElectionState> = {}): ElectionState {
  return {
    ...{ epoch: 3, activeId: 'b', address: 'http://b', lastRenewalUs: 40, isExpired: false, isSessionLost: false },
    ...{ endedBy: undefined, databaseMs: 0, ...change },
  };
}

t.test('a released role, and an own one that was given up, are taken at once', async (t) => {
  const policy = new TakeoverPolicy('a', timings);
  t.equal(policy.decide(createState({ activeId: undefined }), 0), 'take');
  t.equal(policy.decide(createState({ activeId: 'a' }), 0), 'take');
  t.equal(policy.decide(createState(), 0), 'wait');
});

t.test('a lost session must still be lost a moment later', async (t) => {
  const policy = new TakeoverPolicy('a', timings);
  t.equal(policy.decide(createState({ isSessionLost: true }), 1000), 'confirm');
  t.equal(policy.decide(createState({ isSessionLost: true }), 1050), 'confirm');
  t.equal(policy.decide(createState({ isSessionLost: true }), 1100), 'take');
});

t.test('a replica that opens another connection, or renews in between, keeps its role', async (t) => {
  const policy = new TakeoverPolicy('a', timings);
  t.equal(policy.decide(createState({ isSessionLost: true }), 1000), 'confirm');
  t.equal(policy.decide(createState({ isSessionLost: true, lastRenewalUs: 41 }), 1100), 'confirm');
  t.equal(policy.decide(createState({ lastRenewalUs: 42 }), 1200), 'wait');
  t.equal(policy.decide(createState({ isSessionLost: true, lastRenewalUs: 42 }), 1300), 'confirm');
});

t.test('without a session, a role expires by the clock of the standby and by that of the database', async (t) => {
  const policy = new TakeoverPolicy('a', timings);
  t.equal(policy.decide(createState({ isExpired: true }), 1000), 'wait', 'the clock of the database alone has jumped');
  t.equal(policy.decide(createState({ isExpired: false }), 6500), 'wait', 'the own clock alone has jumped');
  t.equal(policy.decide(createState({ isExpired: true }), 6500), 'take');
  t.equal(policy.decide(createState({ isExpired: true, lastRenewalUs: 41 }), 6600), 'wait', 'it was renewed');
});
