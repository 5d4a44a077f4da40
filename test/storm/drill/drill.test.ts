/** The short form of the drill (`npm run test:drill`): a minute of faults on real processes. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { skipWithoutPgBouncer, skipWithoutStandby } from '../../postgres/programs.ts';
import { formatDrill } from './format-drill.ts';
import { playDrill } from './play-drill.ts';

const seed = Number(process.env.VP_DRILL_SEED ?? 20_261_123);
const skip = skipWithoutStandby || skipWithoutPgBouncer;

t.setTimeout(300_000);
t.test('replicas, databases and links that fail together lose nothing and do nothing twice', { skip }, async (t) => {
  const folder = join(realpathSync(t.testdir()), 'drill');
  mkdirSync(folder);
  const print = (text: string): void => t.comment(text);
  const result = await playDrill({ folder, seed, durationMs: 60_000, paceMs: 4_000, print });
  print(`seed ${seed}\n${formatDrill(result)}`);
  if (result.verdict.problems.length > 0) print(result.output.slice(-20_000));
  t.same(result.verdict.problems, []);
  t.ok(result.verdict.acknowledged > 0);
  t.ok(result.record.counts['answered calls'] > 0);
});
