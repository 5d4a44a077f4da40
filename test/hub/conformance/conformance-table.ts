/** The rows of the table of counts in `docs/contributing/tests.md`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SuiteResult } from './suite.ts';

type Comparison = {
  readonly revision: string;
  readonly name: string;
  readonly directRun: SuiteResult;
  readonly hubRun: SuiteResult;
};

const page = join(import.meta.dirname, '../../../docs/contributing/tests.md');
const tasksCheck = /^tasks-/;

/** Passed and failed checks, and how many of them are about tasks. */
function formatCounts(checks: readonly string[]): string {
  const tasks = checks.filter((check) => tasksCheck.test(check)).length;
  return tasks === 0 ? String(checks.length) : `${checks.length} (${tasks} of tasks)`;
}

export function formatRow({ revision, name, directRun, hubRun }: Comparison): string {
  const cells = [directRun, hubRun].flatMap(({ passed, failed }) => [
    formatCounts(passed),
    formatCounts([...failed.keys()]),
  ]);
  return `| ${[revision, name, ...cells].join(' | ')} |`;
}

/** The row of the page; undefined if it has none. */
export function readRow(revision: string, name: string): string | undefined {
  return readFileSync(page, 'utf8')
    .split('\n')
    .find((row) => row.startsWith(`| ${revision} | ${name} |`));
}
