import t from 'tap';
import {
  describeMoment,
  findEventBefore,
  formatEventTime,
  listEvents,
  moveToEvent,
} from '../../../../src/console/runs/evidence/timing-events.ts';
import type { AxisMark, RunAxis } from '../../../../src/report/run-axis.ts';

const mark = (label: string, startMs: number, endMs = startMs): AxisMark => ({
  label,
  startMs,
  endMs,
  isFailed: false,
});

const axis: RunAxis = {
  ...{ startMs: -10, endMs: 100, queueShare: 0.1 },
  tracks: [
    { name: 'queued', kind: 'periods', marks: [mark('queued', -10, 0)] },
    { name: 'connect', kind: 'periods', marks: [mark('connect', 0, 40)] },
    { name: 'first byte', kind: 'periods', marks: [mark('first byte', 40, 100)] },
    { name: 'log lines', kind: 'moments', marks: [mark('one', 12.34), mark('two', 60)] },
  ],
};
const events = listEvents(axis);

t.test('events are in the order of their beginning, whatever their track', async (t) => {
  t.same(
    events.map(({ label, note }) => `${label} ${note}`.trim()),
    ['queued', 'connect', 'one log line', 'first byte', 'two log line'],
  );
  t.equal(findEventBefore(events, 41)?.label, 'first byte');
  t.equal(findEventBefore(events, -11), undefined);
});

t.test('keys lead from event to event and stop at both ends', async (t) => {
  t.equal(moveToEvent(events, -10, 'ArrowRight'), 0);
  t.equal(moveToEvent(events, 0, 'ArrowRight'), 12.34);
  t.equal(moveToEvent(events, 50, 'ArrowLeft'), 40);
  t.equal(moveToEvent(events, -10, 'ArrowLeft'), -10);
  t.equal(moveToEvent(events, 60, 'ArrowRight'), 60);
  t.equal(moveToEvent(events, 12.34, 'Home'), -10);
  t.equal(moveToEvent(events, 12.34, 'End'), 60);
  t.equal(moveToEvent(events, 12.34, 'Tab'), undefined);
  t.equal(moveToEvent([], 5, 'ArrowLeft'), undefined);
});

t.test('a moment is described by the periods that last and the lines beside it', async (t) => {
  t.equal(describeMoment(axis, -5), 'queued');
  t.equal(describeMoment(axis, 12), 'connect · one');
  t.equal(describeMoment(axis, 40), 'first byte');
  t.equal(describeMoment(axis, 100), 'nothing is known to have happened');
  const marks = Array.from({ length: 5 }, (_, index) => mark(`line ${index}`, 50));
  const busy: RunAxis = { ...axis, tracks: [{ name: 'log lines', kind: 'moments', marks }] };
  t.equal(describeMoment(busy, 50), 'line 0 · line 1 · line 2 and 2 more');
});

t.test('the time of an event is one offset, or from when to when', async (t) => {
  t.same(events.slice(0, 3).map(formatEventTime), ['−10.0 ms to +0 ms', '+0 ms to +40.0 ms', '+12.3 ms']);
});
