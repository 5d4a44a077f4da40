/**
 * A storm over real processes: a control plane with a hub, executors, callers and official clients behind a network that
 * loses, cuts, delays, doubles and replays, while processes are killed and frozen, folders go back and disks are full.
 *
 *     npm run test:storm                                ten minutes, a random seed
 *     npm run test:storm -- --minutes 1 --seed 7        the seed decides the plan of faults, not the speed of the machine
 *     npm run test:storm -- --pace 2000                 milliseconds between two faults of one process, on average
 *     npm run test:storm -- --minutes 0 --cuts 300      only the power cuts that follow the storm
 *     npm run test:storm -- --allow-skips               where faults cannot be had: no root, no C compiler
 *
 * Ends with 0 if every promise held and every fault was tried, and with 1 otherwise; histories and output are then stored.
 */
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { playStorm } from './play-storm.ts';
import { playPowerCuts } from './power-cut/play-cuts.ts';
import { createSeededRandom } from './seeded-random.ts';
import { longStorm } from './storm-length.ts';
import type { StormRecord } from './storm-record.ts';
import type { StormVerdict } from './verdict.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    pace: { type: 'string', default: '3000' },
    cuts: { type: 'string', default: '100' },
    'allow-skips': { type: 'boolean', default: false },
  },
});

const isNumber = (text: string): boolean => Number.isFinite(Number(text)) && Number(text) >= 0;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function formatVerdict(record: StormRecord, verdict: StormVerdict): string {
  const counts = Object.entries({ ...record.counts }).map(([name, count]) => `${count} ${name}`);
  const outcomes = Object.entries(verdict.outcomes).map(([name, count]) => `${count} ${name}`);
  return [
    `faults and load   ${counts.join(', ')}`,
    `runs              ${verdict.acknowledged} acknowledged, ${verdict.lost} lost, ${verdict.doubled} doubled, ${verdict.stuck} stuck`,
    `outcomes          ${outcomes.join(', ')}`,
    `checked           ${verdict.operations} operations in ${verdict.histories} histories, ${verdict.undecided} undecided`,
    `problems          ${verdict.problems.length}`,
  ].join('\n');
}

/** Writes what is needed to find out what went wrong, and gives the folder. */
function storeEvidence(seed: number, record: StormRecord, verdict: StormVerdict, output: string): string {
  const folder = join('.cache', 'storm', `seed-${seed}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'history.jsonl'), [...record.lines()].join(''));
  writeFileSync(join(folder, 'processes.log'), output);
  writeFileSync(join(folder, 'problems.txt'), `${verdict.problems.join('\n\n')}\n`);
  return folder;
}

type StormPart = { readonly problems: readonly string[]; readonly skipped: readonly string[] };

async function runStorm(folder: string, seed: number, durationMs: number): Promise<StormPart> {
  const paceMs = Number(values.pace);
  const { record, verdict, skipped, output } = await playStorm({ folder, seed, durationMs, paceMs, print });
  print(formatVerdict(record, verdict));
  if (verdict.problems.length > 0)
    print(`✗ histories and output are in ${storeEvidence(seed, record, verdict, output)}`);
  return { problems: verdict.problems, skipped };
}

async function runPowerCuts(folder: string, seed: number, cuts: number): Promise<StormPart> {
  const random = createSeededRandom(seed);
  const {
    promises,
    unsynced,
    cuts: done,
    ...part
  } = await playPowerCuts({ folder, random, cuts, recordedMs: longStorm.recordedMs, print });
  print(`power cuts        ${done} cuts, ${promises} promises, ${unsynced} writes not synced at a cut`);
  return part;
}

async function main(): Promise<number> {
  const { minutes, seed: seedText, pace, cuts } = values;
  if (![minutes, seedText, pace, cuts].every(isNumber)) {
    print('✗ --minutes, --seed, --pace and --cuts must be numbers');
    return 2;
  }
  if (!existsSync('dist/vp')) {
    print('✗ dist/vp is missing; run `npm run build`');
    return 2;
  }
  const seed = Number(seedText);
  const again = `npm run test:storm -- --minutes ${minutes} --seed ${seed} --pace ${pace} --cuts ${cuts}`;
  print(`storm of ${minutes} minutes, seed ${seed}: ${again}`);
  const folder = mkdtempSync(join(tmpdir(), 'vp-storm-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // After the handlers that end processes and unmount disks: those were added before the signal came.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.once('exit', removeFolder);
      process.exit(130);
    });
  }
  try {
    const parts: StormPart[] = [];
    if (Number(minutes) > 0) parts.push(await runStorm(join(folder, 'storm'), seed, Number(minutes) * 60_000));
    if (Number(cuts) > 0) parts.push(await runPowerCuts(join(folder, 'power-cut'), seed, Number(cuts)));
    const problems = parts.flatMap((part) => part.problems);
    const skipped = parts.flatMap((part) => part.skipped);
    for (const problem of problems.slice(0, 20)) print(`✗ ${problem}`);
    for (const reason of skipped) print(`✗ not tried: ${reason}`);
    const isPassed = problems.length === 0 && (skipped.length === 0 || values['allow-skips']);
    print(isPassed ? `✓ seed ${seed}: every promise held` : `✗ seed ${seed}: ${again}`);
    return isPassed ? 0 : 1;
  } finally {
    removeFolder();
  }
}

process.exit(await main());
