import t from 'tap';
import { Scheduler } from './scheduler.ts';
import { StaleStore } from './stale-store.ts';

const request = 'tr-run1-abc GET /api/v2/document';

/** `at` sets the time of what follows. */
function createCase() {
  const scheduler = new Scheduler();
  let nowMs = 0;
  Object.defineProperty(scheduler, 'nowMs', { get: () => nowMs });
  const store = new StaleStore(scheduler);
  const at = (ms: number): StaleStore => {
    nowMs = ms;
    return store;
  };
  return at;
}

/** The run is queued in the copy, and sent by `executor-0` after it. */
function sendAfterCopy(at: ReturnType<typeof createCase>, queued = ['run1']): void {
  at(10).recordCall('executor-0');
  at(20).recordCopy(new Set(queued));
  at(30).recordCall('executor-0');
  at(31).recordArrival(request);
  at(40).recordReturn();
}

t.test('a run that waits in a copy is sent again while nobody who knows more has called', async (t) => {
  const at = createCase();
  sendAfterCopy(at);
  at(50).recordCall('executor-1');
  t.equal(at(51).recordArrival(request), true);
  t.equal(at(52).recordArrival(request), false, 'but not once more');
});

t.test('once an executor that knows more has called, nothing may be sent again', async (t) => {
  const at = createCase();
  sendAfterCopy(at);
  at(50).recordCall('executor-0');
  t.equal(at(51).recordArrival(request), false);
});

t.test('an executor that has lost its folder knows nothing more', async (t) => {
  const at = createCase();
  sendAfterCopy(at);
  at(45).recordOtherFolder('executor-0');
  at(50).recordCall('executor-0');
  t.equal(at(51).recordArrival(request), true);
});

t.test(
  'a run that does not wait in the copy, was sent before it, or without a copy, is never sent again',
  async (t) => {
    const leased = createCase();
    sendAfterCopy(leased, []);
    t.equal(leased(51).recordArrival(request), false);
    const early = createCase();
    early(5).recordArrival(request);
    sendAfterCopy(early);
    t.equal(early(51).recordArrival(request), false);
    const usual = createCase();
    usual(1).recordArrival(request);
    t.equal(usual(2).recordArrival(request), false);
  },
);
