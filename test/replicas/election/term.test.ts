import t from 'tap';
import { readMoment, Term } from '../../../src/replicas/election/term.ts';

const timings = { expiryMs: 5000, guardMs: 500 };

function createClock() {
  const clock = { monotonic: 1000, wall: 1_000_000, monotonicMs: () => clock.monotonic, nowMs: () => clock.wall };
  const advance = (ms: number): void => {
    clock.monotonic += ms;
    clock.wall += ms;
  };
  return { clock, advance };
}

t.test('a term is valid until shortly before the others may take it', async (t) => {
  const { clock, advance } = createClock();
  const term = new Term(1, clock, timings, readMoment(clock));
  advance(4499);
  t.ok(term.isValid());
  advance(1);
  t.notOk(term.isValid());
  term.renew(readMoment(clock));
  t.ok(term.isValid());
});

t.test('it counts from the moment at which its renewal was sent', async (t) => {
  const { clock, advance } = createClock();
  const term = new Term(1, clock, timings, readMoment(clock));
  const sent = readMoment(clock);
  advance(2000);
  term.renew(sent);
  t.equal(term.remainingMs, 2500);
});

t.test('a virtual machine that slept serves nothing before its next renewal', async (t) => {
  const { clock, advance } = createClock();
  const term = new Term(1, clock, timings, readMoment(clock));
  advance(100);
  clock.wall += 3_600_000;
  t.notOk(term.isValid());
  t.ok(term.remainingMs > 0, 'its role is not given up for a clock that jumped');
  term.renew(readMoment(clock));
  t.ok(term.isValid());
});

t.test('a term that was ended is not valid again', async (t) => {
  const { clock } = createClock();
  const term = new Term(1, clock, timings, readMoment(clock));
  term.end();
  term.renew(readMoment(clock));
  t.notOk(term.isValid());
});

t.test('while the connection is lost by which others see it, nothing is served', async (t) => {
  const { clock, advance } = createClock();
  const term = new Term(1, clock, timings, readMoment(clock));
  term.suspend();
  t.notOk(term.isValid());
  t.equal(term.remainingMs, 4500, 'it has not ended');
  advance(100);
  term.renew(readMoment(clock));
  t.ok(term.isValid());
});
