import t from 'tap';
import { ChangedRoots, type RootsSession } from '../../../src/hub/upstream/changed-roots.ts';

const createSession = (sessionId: string): RootsSession => ({ sessionId, ask: async () => ({ roots: [] }) });
const [first, second] = [createSession('first'), createSession('second')];

function create() {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  return { clock, changed: new ChangedRoots(clock) };
}

t.test('a change lets the server ask its session once', async (t) => {
  const { changed } = create();
  t.equal(changed.take(new Set()), undefined);
  changed.add(first);
  t.equal(changed.take(new Set(['first'])), first);
  t.equal(changed.take(new Set()), undefined);
});

t.test('a question that may be meant for another session is answered by none', async (t) => {
  const { changed } = create();
  changed.add(first);
  changed.add(second);
  t.equal(changed.take(new Set()), 'ambiguous');
  changed.add(first);
  t.equal(changed.take(new Set(['second'])), 'ambiguous', 'a call of the other is in flight');
  changed.add(first);
  t.equal(changed.take(new Set([undefined])), 'ambiguous', 'a call without a session is in flight');
});

t.test('a question long after a change belongs to something else', async (t) => {
  const { clock, changed } = create();
  changed.add(first);
  clock.nowMs = 10_001;
  t.equal(changed.take(new Set()), undefined);
});

t.test('of many sessions the latest are remembered', async (t) => {
  const { changed } = create();
  for (let index = 0; index < 70; index += 1) changed.add(createSession(`s${index}`));
  t.equal(changed.take(new Set()), 'ambiguous');
  t.equal(changed.take(new Set()), undefined);
});
