/** The short form of the storm (`npm run test:storm`): some seconds of faults on real processes. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { playStorm } from './play-storm.ts';
import { stormLength } from './storm-length.ts';

const seed = Number(process.env.VP_STORM_SEED ?? 20_261_127);
const { durationMs } = stormLength;
const paceMs = 3000;

t.test('processes, folders, disks and a network that fail together lose nothing and do nothing twice', async (t) => {
  const folder = join(realpathSync(t.testdir()), 'storm');
  mkdirSync(folder);
  const print = (text: string): void => t.comment(text);
  const { record, verdict, skipped, output } = await playStorm({ folder, seed, durationMs, paceMs, print });
  for (const reason of skipped) print(`not tried: ${reason}`);
  print(`seed ${seed}, ${JSON.stringify(record.counts)}, ${verdict.operations} operations`);
  if (verdict.problems.length > 0) print(output.slice(-20_000));
  t.same(verdict.problems, []);
  t.ok(verdict.acknowledged > 0);
  t.ok(record.counts.kills > 0);
  t.ok(record.counts['answered calls'] > 0);
});
