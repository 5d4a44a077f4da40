/** Changes of Markdown files, seen by the system. */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Clock } from '../../environment/clock.ts';

/** Editors write a file in several steps: changes this close together are one. */
const settleMs = 80;

/** A folder to watch; a single file is watched by its folder, because editors replace files. */
type Watched = { readonly folder: string; readonly only: string | undefined };

function watchedAt(path: string, cwd: string): Watched | undefined {
  const absolute = resolve(cwd, path);
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { folder: absolute, only: undefined };
  const folder = dirname(absolute);
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? { folder, only: basename(absolute) } : undefined;
}

function concerns(name: string | null, { only }: Watched): boolean {
  if (name === null) return true;
  if (only !== undefined) return name === only;
  return !/(^|[\\/])(\.|node_modules[\\/])/.test(name);
}

/** Calls `onChange` after files at `paths` changed, once they have settled; the returned function ends it. */
export function watchPaths(paths: readonly string[], cwd: string, clock: Clock, onChange: () => void): () => void {
  let cancel: (() => void) | undefined;
  const changed = (): void => {
    cancel?.();
    cancel = clock.after(settleMs, onChange);
  };
  const watchers: FSWatcher[] = [];
  for (const path of paths) {
    const watched = watchedAt(path, cwd);
    if (watched === undefined) continue;
    const options = { recursive: watched.only === undefined };
    const watcher = watch(watched.folder, options, (_event, name) => {
      if (concerns(name, watched)) changed();
    });
    // A folder that is deleted while it is watched ends its watcher; the next validation says that it is missing.
    watcher.on('error', changed);
    watchers.push(watcher);
  }
  return () => {
    cancel?.();
    for (const watcher of watchers) watcher.close();
  };
}
