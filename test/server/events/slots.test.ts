import t from 'tap';
import { createSlots } from '../../../src/server/events/slots.ts';

t.test('slots are limited, and releasing one twice releases it once', async (t) => {
  const slots = createSlots(2);
  const first = slots.take();
  t.ok(slots.take());
  t.equal(slots.take(), undefined);
  first?.();
  first?.();
  t.equal(slots.countTaken(), 1);
  t.ok(slots.take());
  t.equal(slots.take(), undefined);
});
