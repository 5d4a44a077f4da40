/** What a target that breaks HTTP costs an executor of the packed binary. */
import { chosenByRequest, maxExecutorGrowthMiB, startHostileRunner } from './hostile-runner.ts';
import { sandboxTest } from './sandbox.ts';

/** Every so many, and those that send most: `VP_HOSTILE_TARGETS=all` plays all. */
const everyNth = process.env.VP_HOSTILE_TARGETS === 'all' ? 1 : 16;
const largest = /without end|100 MB|50 encodings|JSON (?:of|with|200)|a long/;

sandboxTest('a target costs an executor that has seen no other at most 64 MiB over idle', async (t, sandbox) => {
  const { measureGrowth, run, meet } = await startHostileRunner(t, sandbox);
  const growths = new Map<string, number>();
  for (const [index, { name }] of chosenByRequest.entries()) {
    if (index % everyNth !== 0 && !largest.test(name)) continue;
    const growth = await measureGrowth(maxExecutorGrowthMiB, () => meet(index));
    growths.set(name, growth);
    t.ok(growth <= maxExecutorGrowthMiB, `${name}: ${growth.toFixed(0)} MiB`);
  }
  const [[name, highestMiB] = ['', 0]] = [...growths].toSorted(([, a], [, b]) => b - a);
  t.comment(`${growths.size} targets: at most ${highestMiB.toFixed(0)} MiB (${name})`);
  t.equal((await run('RT-good')).state, 'passed', 'it works as before');
});
