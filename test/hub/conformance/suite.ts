/** Runs the official conformance suite against an address and reads what it found. */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** What a run found: the checks that passed and those that failed with what is said of them, as `scenario: check`. */
export type Found = { readonly passed: readonly string[]; readonly failed: ReadonlyMap<string, string> };

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const longestMs = 180_000;

/** Runs what `revision` requires. */
export async function conformance(url: string, revision: string): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    await new Promise<void>((resolve) => {
      const args = [
        suite,
        'server',
        '--url',
        url,
        '--requirements',
        revision,
        '--timeout',
        '60000',
        '--output-dir',
        folder,
      ];
      // Ends with 1 where anything failed; what did stands in its files.
      execFile(process.execPath, args, { timeout: longestMs, maxBuffer: 1e8 }, () => resolve());
    });
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(folder: string): Found {
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
