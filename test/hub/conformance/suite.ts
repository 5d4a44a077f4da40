/** Runs the official conformance suite against an address and reads its results. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Test } from 'tap';

/** The passed checks, and the failed ones with their messages, as `scenario: check`. */
export type SuiteResult = { readonly passed: readonly string[]; readonly failed: ReadonlyMap<string, string> };

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

const suiteEntry = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

/** Revisions whose requirements the suite has frozen; of the others it has the scenarios that apply to them. */
const frozenRevisions = ['2025-11-25', '2026-07-28'];

export type ConformanceSuite = {
  /** Runs the requirements of `revision`, after the runs that were requested before. */
  run(url: string, revision: string): Promise<SuiteResult>;
};

/** Starts a process for all runs of the suite; it ends with the test. */
export function startConformanceSuite(t: Pick<Test, 'teardown'>): ConformanceSuite {
  const program = join(import.meta.dirname, 'suite-program.ts');
  const child = fork(program, [suiteEntry], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill();
    await closed;
  });
  const runProgram = async (args: readonly string[]): Promise<void> => {
    const ended = once(child, 'message');
    child.send(args);
    await Promise.race([ended, closed.then(() => Promise.reject(new Error('the suite has ended its process')))]);
  };
  let previous: Promise<unknown> = Promise.resolve();
  return {
    run(url, revision) {
      const result = previous.then(() => runSuite(runProgram, url, revision));
      previous = result.catch(() => undefined);
      return result;
    },
  };
}

async function runSuite(
  runProgram: (args: readonly string[]) => Promise<void>,
  url: string,
  revision: string,
): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const requirements = frozenRevisions.includes(revision) ? '--requirements' : '--spec-version';
  try {
    await runProgram([
      ...['server', '--url', url, requirements, revision],
      ...['--timeout', '60000', '--output-dir', folder],
    ]);
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(folder: string): SuiteResult {
  const passed: string[] = [];
  const failed = new Map<string, string>();
  for (const file of globSync(join(folder, '**', 'checks.json'))) {
    const scenario = basename(dirname(file))
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    const checks: Check[] = JSON.parse(readFileSync(file, 'utf8'));
    for (const { id, status, errorMessage } of checks) {
      if (status === 'SUCCESS') passed.push(`${scenario}: ${id}`);
      if (status === 'FAILURE') failed.set(`${scenario}: ${id}`, errorMessage ?? '');
    }
  }
  return { passed, failed };
}
