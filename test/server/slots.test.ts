import t from 'tap';
import { createSlots } from '../../src/server/slots.ts';

t.test('places are bounded, and freeing one twice frees one', async (t) => {
  const slots = createSlots(2);
  const first = slots.take();
  t.ok(slots.take());
  t.equal(slots.take(), undefined);
  first?.();
  first?.();
  t.equal(slots.taken(), 1);
  t.ok(slots.take());
  t.equal(slots.take(), undefined);
});
