/**
 * A drill over real processes: three replicas of a control plane on two PostgreSQL servers with synchronous replication, behind a load
 * balancer that knows nothing of sessions, with executors, callers, hub clients and pages of the console at work.
 *
 *     npm run test:drill                                twenty minutes, a random seed
 *     npm run test:drill -- --minutes 2 --seed 7        the seed decides the plan of faults, not the speed of the machine
 *     npm run test:drill -- --pace 2000                 milliseconds between two faults of one kind, on average
 *
 * Ends with 0 if every promise held and every fault was tried, and with 1 otherwise; histories and output are then stored.
 */
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { skipWithoutPgBouncer, skipWithoutStandby } from '../../postgres/programs.ts';
import { formatDrill } from './format-drill.ts';
import { type DrillResult, playDrill } from './play-drill.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    pace: { type: 'string', default: '4000' },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Writes what is needed to find out what went wrong, and gives the folder. */
function storeEvidence(seed: number, { record, verdict, output }: DrillResult): string {
  const folder = join('.cache', 'drill', `seed-${seed}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'history.jsonl'), [...record.lines()].join(''));
  writeFileSync(join(folder, 'processes.log'), output);
  writeFileSync(join(folder, 'problems.txt'), `${verdict.problems.join('\n\n')}\n`);
  return folder;
}

function findObstacle(): string | undefined {
  if (![values.minutes, values.seed, values.pace].every((text) => Number(text) >= 0))
    return '--minutes, --seed and --pace must be numbers';
  if (!existsSync('dist/vp')) return 'dist/vp is missing; run `npm run build`';
  return skipWithoutStandby || skipWithoutPgBouncer || undefined;
}

async function main(): Promise<number> {
  const obstacle = findObstacle();
  if (obstacle !== undefined) {
    print(`✗ ${obstacle}`);
    return 2;
  }
  const seed = Number(values.seed);
  const again = `npm run test:drill -- --minutes ${values.minutes} --seed ${seed} --pace ${values.pace}`;
  print(`drill of ${values.minutes} minutes, seed ${seed}: ${again}`);
  const folder = mkdtempSync(join(tmpdir(), 'vp-drill-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.once('exit', removeFolder);
      process.exit(130);
    });
  }
  try {
    const durationMs = Number(values.minutes) * 60_000;
    const result = await playDrill({ folder, seed, durationMs, paceMs: Number(values.pace), print });
    print(formatDrill(result));
    const { problems } = result.verdict;
    if (problems.length > 0) print(`✗ histories and output are in ${storeEvidence(seed, result)}`);
    for (const problem of problems.slice(0, 20)) print(`✗ ${problem}`);
    for (const name of result.untried) print(`✗ not tried: ${name}`);
    const isPassed = problems.length === 0 && result.untried.length === 0;
    print(isPassed ? `✓ seed ${seed}: every promise held` : `✗ seed ${seed}: ${again}`);
    return isPassed ? 0 : 1;
  } finally {
    removeFolder();
  }
}

process.exit(await main());
