/**
 * Kills the executor at the boundaries of a scenario with five steps and a cleanup, many times:
 *
 *     npm run test:step-kills                             500 kills, a random seed
 *     npm run test:step-kills -- --kills 64 --seed 7      the seed decides the order and the delays
 *
 * Ends with 0 if each request arrived at most once and the cleanup was reported in every run, and with 1 otherwise.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Sandbox } from '../e2e/process-sandbox.ts';
import { Processes } from '../e2e/processes.ts';
import { playStepKills } from '../e2e/step-kills.ts';

const maxKillMs = 60_000;
/** Generous: the machine may be busy, or stop this process for a while. */
const maxReportMs = 600_000;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('--kills must be a number from 1 up, and --seed a number\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'vp-step-kills-'));
const processes = new Processes();
mkdirSync(join(folder, 'scene'));
process.stdout.write(`${kills} kills, seed ${seed}\n`);
const startMs = performance.now();
try {
  const result = await playStepKills(new Sandbox(join(folder, 'scene'), processes), {
    ...{ kills, seed, lifetimeMs: kills * maxKillMs, reportTimeoutMs: maxReportMs },
    onKill(count, problems) {
      if (count % 50 === 0) process.stdout.write(`${count} kills, ${problems} problems\n`);
    },
  });
  const cleanups = Object.entries(result.cleanups).map(([outcome, count]) => `${count} ${outcome}`);
  process.stdout.write(
    [
      `kills      ${result.kills} in ${Math.round((performance.now() - startMs) / 1000)} s`,
      `requests   ${result.requests}, each at most once unless it is named below`,
      `cleanup    ${cleanups.join(', ')}`,
      `problems   ${result.problems.length}`,
      ...result.problems,
      '',
    ].join('\n'),
  );
  process.exitCode = result.problems.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${processes.allOutput.slice(-20_000)}\n`);
  throw error;
} finally {
  await processes.clear();
  rmSync(folder, { recursive: true, force: true });
}
