/** A few power cuts of a recorded run (`npm run test:storm` plays more). */
import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createSeededRandom } from '../seeded-random.ts';
import { stormLength } from '../storm-length.ts';
import { playPowerCuts } from './play-cuts.ts';

const seed = Number(process.env.VP_STORM_SEED ?? 20_261_127);
const { cuts, recordedMs } = stormLength;
const hasCompiler = spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0;
/** In continuous integration this is a failure. */
const skip = hasCompiler || process.env.CI ? false : 'there is no C compiler';

t.test('power cuts lose nothing that was promised', { skip }, async (t) => {
  const print = (text: string): void => t.comment(text);
  const folder = join(realpathSync(t.testdir()), 'cuts');
  mkdirSync(folder);
  const random = createSeededRandom(seed);
  const result = await playPowerCuts({ folder, random, cuts, recordedMs, print });
  print(`seed ${seed}: ${result.cuts} cuts, ${result.promises} promises, ${result.unsynced} writes not synced`);
  t.same(result.skipped, []);
  t.same(result.problems, []);
  t.equal(result.cuts, 5 * cuts);
});
