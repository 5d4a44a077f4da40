/** Runs the official conformance suite against an address and reads its results. */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The passed checks, and the failed ones with their messages, as `scenario: check`. */
export type SuiteResult = { readonly passed: readonly string[]; readonly failed: ReadonlyMap<string, string> };

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

const suiteEntry = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const maxDurationMs = 180_000;

/** Revisions whose requirements the suite has frozen; of the others it has the scenarios that apply to them. */
const frozenRevisions = ['2025-11-25', '2026-07-28'];

/** Runs the requirements of `revision`. */
export async function runConformance(url: string, revision: string): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    await new Promise<void>((resolve) => {
      const args = [
        suiteEntry,
        'server',
        '--url',
        url,
        frozenRevisions.includes(revision) ? '--requirements' : '--spec-version',
        revision,
        '--timeout',
        '60000',
        '--output-dir',
        folder,
      ];
      // Exits with 1 if anything failed; the details are in its files.
      execFile(process.execPath, args, { timeout: maxDurationMs, maxBuffer: 1e8 }, () => resolve());
    });
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
