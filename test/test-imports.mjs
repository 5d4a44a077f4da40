/** Which tests use a module, directly or through other modules of test/. */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const importPattern = /\b(?:from|import\()\s*'(\.[^']*)'/g;

/**
 * Returns a predicate for files of test/: whether they import `module`. Modules of src/ are not followed, nor are
 * `exceptions`.
 */
export function createImportSearch(module, exceptions = []) {
  const results = new Map([[module, true], ...exceptions.map((name) => [name, false])]);

  function imports(file) {
    const known = results.get(file);
    if (known !== undefined) return known;
    // For files that import each other.
    results.set(file, false);
    const targets = existsSync(file) ? readFileSync(file, 'utf8').matchAll(importPattern) : [];
    const found = [...targets]
      .map(([, name]) => posix.join(posix.dirname(file), name))
      .some((target) => target.startsWith('test/') && imports(target));
    results.set(file, found);
    return found;
  }

  return imports;
}
