/** The simulation finds what was a defect once, when its correction is taken out of a copy of the sources. */
import t from 'tap';
import { formerDefects } from './mutations.ts';
import { findMutation } from './simulation.ts';

const maxSchedules = 300;

for (const mutation of formerDefects)
  t.test(`without "${mutation.name}" something fails`, async (t) => {
    const found = await findMutation(mutation, 0, maxSchedules);
    t.match(found?.violation, mutation.violation, `schedule ${found?.seed}`);
  });
