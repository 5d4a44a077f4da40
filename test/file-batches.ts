/** Which test files share a process, and whose output is what of the lines that it printed. */
import type { FileCosts } from './file-schedule.ts';
import { estimateCost } from './file-schedule.ts';

/** A file that takes longer gains nothing by sharing, and would keep others waiting. */
const maxSharedMs = 8000;
/** So that there are enough processes for all cores until the end. */
const maxBatchMs = 30_000;
const maxBatchFiles = 32;

/**
 * Groups files that run in one process, one after another, in the order of their names, because those of a folder load the same sources;
 * the others stand alone.
 */
export function groupFiles(
  files: readonly string[],
  costs: FileCosts,
  needsOwnProcess: (file: string) => boolean,
): string[][] {
  const batches: string[][] = [];
  let current: string[] = [];
  let currentMs = 0;
  for (const file of [...files].sort()) {
    const { wallMs } = estimateCost(file, costs);
    if (needsOwnProcess(file) || wallMs > maxSharedMs) {
      batches.push([file]);
      continue;
    }
    if (current.length === 0 || current.length >= maxBatchFiles || currentMs + wallMs > maxBatchMs) {
      current = [];
      currentMs = 0;
      batches.push(current);
    }
    current.push(file);
    currentMs += wallMs;
  }
  return batches;
}

const subtestLine = '# Subtest: ';
const rootResult = /^(?:not )?ok \d+ - (.*?)(?: # (?:SKIP|TODO|time=).*)?$/;

/**
 * Gives each file the lines that a process of its own would have printed. `lines` has each file as a test at its top, whose own lines are
 * indented by four. A result at the top of another name is an error that no file's test caught: it is the last file's that was running.
 */
export function splitOutput(
  lines: readonly string[],
  files: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const outputs = new Map<string, string[]>(files.map((file) => [file, []]));
  let output: string[] | undefined;
  let isWithin = false;
  for (const line of lines) {
    const title = line.startsWith(subtestLine) ? line.slice(subtestLine.length) : undefined;
    const [, resultName] = rootResult.exec(line) ?? [];
    if (title !== undefined && outputs.has(title)) {
      output = outputs.get(title);
      isWithin = true;
    } else if (resultName !== undefined && outputs.has(resultName)) isWithin = false;
    else if (resultName !== undefined) {
      output?.push(line);
      isWithin = true;
    } else if (isWithin) output?.push(line.startsWith('    ') ? line.slice(4) : line);
  }
  return outputs;
}

/** Whether a file's own tests all passed. */
export const hasFailure = (lines: readonly string[]): boolean => lines.some((line) => line.startsWith('not ok '));
