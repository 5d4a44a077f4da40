/**
 * The simulation finds what was a defect once, when its correction is taken out of a copy of the sources. The schedule that noticed it
 * before is played first; where the sources have changed so that it does not any more, the search begins anew.
 */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { formerDefects, mutations } from './mutations.ts';
import { findMutation } from './simulation.ts';

const maxSchedules = 300;

for (const mutation of formerDefects)
  t.test(`without "${mutation.name}" something fails`, async (t) => {
    const before = await findMutation(mutation, mutation.seed, 1);
    const detection = before ?? (await findMutation(mutation, 0, maxSchedules));
    if (!before)
      t.comment(`mutations.ts: the seed of "${mutation.name}" is ${detection?.seed} now, and not ${mutation.seed}`);
    t.match(detection?.violation, mutation.violation, `schedule ${detection?.seed}`);
  });

t.test('each mutation replaces what is once in its source', async (t) => {
  for (const { name, file, replacements } of mutations) {
    const source = readFileSync(file, 'utf8');
    for (const [from, to] of replacements) {
      t.equal(source.split(from).length - 1, 1, `${name}: ${file} has once ${from}`);
      t.not(to, from, name);
    }
  }
});
