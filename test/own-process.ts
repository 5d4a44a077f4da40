/**
 * Which test files need a process of their own: those that change or measure the process, by themselves or through modules of test/, and
 * those with `Own process: <reason>` in a comment. All others can share one (`shared-process.ts`), which fails a file that leaves the
 * process changed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const patterns: readonly RegExp[] = [
  /\bOwn process: /,
  /\bprocess\.env\.\w+ *=[^=]|\bdelete process\.env|\bObject\.assign\(\s*process\.env/,
  /\bObject\.(?:assign|defineProperty)\(\s*globalThis/,
  /\bsetGlobalDispatcher\(|\bregisterHooks\(/,
  /\bprocess\.(?:cpuUsage|memoryUsage|resourceUsage)\(|\bmeasureSmallest\(/,
  /\bprocess\.(?:exit|once|on|chdir|umask)\(|\bprocess\.exitCode =/,
];
/** In a module that several files import: its tests and hooks would all be those of the process. */
const usesRootTest = /^import t\b.* from 'tap'|\bimport\('tap'\)/m;
const importPattern = /\b(?:from|import\()\s*'(\.[^']*)'/g;

/** Gives a test globals that end with it. */
const restoringModule = 'test/console/replace-globals.ts';

const isTestFile = (file: string): boolean => /\.test\.tsx?$/.test(file);

/** Returns a predicate for test files; `exceptions` are modules that are not followed. */
export function createOwnProcessSearch(exceptions: readonly string[] = []): (file: string) => boolean {
  const results = new Map<string, boolean>([...exceptions, restoringModule].map((name) => [name, false]));

  function needsOwn(file: string): boolean {
    const known = results.get(file);
    if (known !== undefined) return known;
    // For files that import each other.
    results.set(file, false);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const result =
      patterns.some((pattern) => pattern.test(text)) ||
      (!isTestFile(file) && usesRootTest.test(text)) ||
      [...text.matchAll(importPattern)]
        .map(([, name = '']) => posix.join(posix.dirname(file), name))
        .some((target) => target.startsWith('test/') && needsOwn(target));
    results.set(file, result);
    return result;
  }

  return needsOwn;
}
