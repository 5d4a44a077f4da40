import t from 'tap';
import { Peers } from '../../../src/replicas/routing/peers.ts';
import type { ElectionState } from '../../../src/store/postgres/election.ts';

function createState(epoch: number, activeId: string | undefined, endedBy?: 'release' | 'loss'): ElectionState {
  const address = activeId && `http://${activeId}`;
  return { epoch, activeId, address, endedBy, lastRenewalUs: 0, isExpired: false, isSessionLost: false, databaseMs: 0 };
}

t.test('requests go to the active replica, unless that is this one', async (t) => {
  const peers = new Peers('a');
  t.equal(peers.active, undefined);
  peers.update(createState(1, 'b'));
  t.match(peers.active, { id: 'b', epoch: 1, address: 'http://b' });
  const first = peers.active;
  peers.update(createState(1, 'b'));
  t.equal(peers.active, first, 'the same term is the same peer');
  peers.update(createState(2, 'a', 'loss'));
  t.equal(peers.active, undefined);
});

t.test('a replica that was replaced against its will is lost, also when this one replaced it', async (t) => {
  for (const next of ['a', 'c']) {
    const peers = new Peers('a');
    peers.update(createState(1, 'b'));
    const lost = peers.active?.lost;
    peers.update(createState(2, next, 'loss'));
    t.equal(lost?.aborted, true);
  }
});

t.test('a replica that has released its role still answers what it got', async (t) => {
  const peers = new Peers('a');
  peers.update(createState(1, 'b'));
  const lost = peers.active?.lost;
  peers.update(createState(1, undefined));
  t.equal(peers.active, undefined);
  peers.update(createState(2, 'c', 'release'));
  t.equal(lost?.aborted, false);
});
