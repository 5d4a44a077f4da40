/**
 * What each test file takes: recorded on a quiet machine for those that take long, so that a fresh clone starts them first too, and measured
 * here for all others.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FileCost, FileCosts } from './file-schedule.ts';

export const recordedCostsFile = 'test/recorded-costs.json';
const measuredCostsFile = '.cache/test/costs.json';
/** Shorter files are not worth a line. */
const minRecordedMs = 2000;

function readCosts(file: string): FileCosts {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** Recorded costs go before measured ones, which are those of a machine with other work. */
export const readFileCosts = (): FileCosts => ({ ...readCosts(measuredCostsFile), ...readCosts(recordedCostsFile) });

function writeCosts(file: string, costs: FileCosts): void {
  const lines = Object.keys(costs)
    .sort()
    .map(
      (name) =>
        `  ${JSON.stringify(name)}: { "wallMs": ${costs[name]?.wallMs}, "processorMs": ${costs[name]?.processorMs} }`,
    );
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}

/** Adds what was measured to what is known here. */
export const saveMeasuredCosts = (measured: ReadonlyMap<string, FileCost>): void =>
  writeCosts(measuredCostsFile, { ...readCosts(measuredCostsFile), ...Object.fromEntries(measured) });

/** Replaces what is recorded of the measured files. */
export function recordCosts(measured: ReadonlyMap<string, FileCost>): void {
  const others = Object.entries(readCosts(recordedCostsFile)).filter(([file]) => !measured.has(file));
  const long = [...measured].filter(([, { wallMs }]) => wallMs >= minRecordedMs);
  writeCosts(recordedCostsFile, Object.fromEntries([...others, ...long]));
}

/** A table of the files that took longest. */
export function formatSlowest(
  measured: ReadonlyMap<string, FileCost>,
  count: number,
  cores: number,
  wallMs: number,
): string {
  const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(8);
  const row = (cost: FileCost, name: string): string =>
    `${seconds(cost.wallMs)} ${seconds(cost.processorMs)}  ${name}\n`;
  const slowest = [...measured].sort(([, a], [, b]) => b.wallMs - a.wallMs).slice(0, count);
  const processorMs = [...measured.values()].reduce((sum, cost) => sum + cost.processorMs, 0);
  const usage = Math.round((100 * processorMs) / (cores * wallMs));
  return [
    '\n seconds processor\n',
    ...slowest.map(([file, cost]) => row(cost, file)),
    row({ wallMs, processorMs }, `all ${measured.size} files: ${usage} % of ${cores} cores`),
  ].join('');
}
