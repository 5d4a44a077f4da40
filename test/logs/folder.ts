import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogSource, LogWatch } from '../../src/logs/log-source.ts';

type Test = { teardown(action: () => unknown): unknown };

/** A folder that goes with the test, which keeps the process awake: following a log does not. */
export function folderFor(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-log-'));
  const awake = setInterval(() => {}, 1000);
  t.teardown(() => clearInterval(awake));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A source that is closed with the test. */
export function closedWith<S extends Pick<LogSource, 'close'>>(t: Test, source: S): S {
  t.teardown(() => source.close());
  return source;
}

/** Waits until the watch has so many lines; gives up after 20 s. */
export async function linesOf(watch: LogWatch, count: number): Promise<readonly string[]> {
  for (let tries = 0; watch.lines.length < count && tries < 200; tries += 1) await watch.changed(100);
  return watch.lines;
}

/** Waits until `holds`; gives up after 20 s. */
export async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; !holds() && tries < 1000; tries += 1) await new Promise((done) => setTimeout(done, 20));
  return holds();
}
