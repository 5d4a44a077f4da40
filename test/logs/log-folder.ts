import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogSource, LogWatch } from '../../src/logs/log-source.ts';
import { eventually } from '../eventually.ts';

type Test = { teardown(action: () => unknown): unknown };

/** A folder that is deleted after the test, which also keeps the process alive: following a log does not. */
export function createLogFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-log-'));
  const awake = setInterval(() => {}, 1000);
  t.teardown(() => clearInterval(awake));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Closes the source at the end of the test. */
export function closeAfterTest<S extends Pick<LogSource, 'close'>>(t: Test, source: S): S {
  t.teardown(() => source.close());
  return source;
}

/** Waits until the watch has `count` lines. */
export async function waitForLines(watch: LogWatch, count: number): Promise<readonly string[]> {
  return eventually(() => watch.lines, { until: (lines) => lines.length >= count, description: `${count} lines` });
}
