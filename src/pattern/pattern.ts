/** Regular expressions that are linear in time (RE2 semantics), whatever the pattern and the text. */
import { RE2JS } from 're2js';

export type Pattern = {
  readonly source: string;
  /** True when the pattern matches anywhere in `text`. */
  test(text: string): boolean;
};

export type CompilePatternResult = { readonly pattern: Pattern } | { readonly problem: string };

/** Scenarios repeat their patterns. Weak: what a pattern has learnt of its texts may take megabytes, and ends with its scenario. */
const patternsInUse = new Map<string, WeakRef<Pattern>>();
const maxPatternsInUse = 100;

function rememberPattern(pattern: Pattern): void {
  // The first one is the one that was compiled the longest time ago.
  for (const oldest of patternsInUse.size < maxPatternsInUse ? [] : patternsInUse.keys().take(1)) {
    patternsInUse.delete(oldest);
  }
  patternsInUse.set(pattern.source, new WeakRef(pattern));
}

/**
 * Compiles `source`. Backreferences and look-around are not RE2 syntax and are reported as a problem.
 * Rejected: the runtime's own RegExp, which `^(a+)+$` against 40 letters keeps busy for minutes.
 */
export function compilePattern(source: string): CompilePatternResult {
  const known = patternsInUse.get(source)?.deref();
  if (known) return { pattern: known };
  try {
    const compiled = RE2JS.compile(source);
    const pattern = { source, test: (text: string) => compiled.test(text) };
    rememberPattern(pattern);
    return { pattern };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { problem: problem.replace(/^error parsing regexp: /, '') };
  }
}
