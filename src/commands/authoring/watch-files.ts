/** Watches Markdown files for changes. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Clock } from '../../environment/clock.ts';

/** Editors write a file in several steps: changes within this time count as one. */
const settleMs = 80;

/** A single file is watched through its folder, because editors replace files. */
type WatchTarget = { readonly folder: string; readonly fileName: string | undefined };

function findWatchTarget(path: string, cwd: string): WatchTarget | undefined {
  const absolute = resolve(cwd, path);
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { folder: absolute, fileName: undefined };
  const folder = dirname(absolute);
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? { folder, fileName: basename(absolute) }
    : undefined;
}

function isRelevant(name: string | null, { fileName }: WatchTarget): boolean {
  if (name === null) return true;
  if (fileName !== undefined) return name === fileName;
  return !/(^|[\\/])(\.|node_modules[\\/])/.test(name);
}

/** Calls `onChange` when changes of files at `paths` have settled. The returned function stops watching. */
export function watchPaths(paths: readonly string[], cwd: string, clock: Clock, onChange: () => void): () => void {
  let cancel: (() => void) | undefined;
  const changed = (): void => {
    cancel?.();
    cancel = clock.after(settleMs, onChange);
  };
  const watchers: FSWatcher[] = [];
  for (const path of paths) {
    const target = findWatchTarget(path, cwd);
    if (target === undefined) continue;
    const options = { recursive: target.fileName === undefined };
    const watcher = watch(target.folder, options, (_event, name) => {
      if (isRelevant(name, target)) changed();
    });
    // Deleting a watched folder ends its watcher; the next validation reports that it is missing.
    watcher.on('error', changed);
    watchers.push(watcher);
  }
  return () => {
    cancel?.();
    for (const watcher of watchers) watcher.close();
  };
}
