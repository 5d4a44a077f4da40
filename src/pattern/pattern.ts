/** Regular expressions that are linear in time (RE2 semantics), whatever the pattern and the text. */
import { RE2JS } from 're2js';

export type Pattern = {
  readonly source: string;
  /** True when the pattern matches anywhere in `text`. */
  test(text: string): boolean;
};

export type CompilePatternResult = { readonly pattern: Pattern } | { readonly problem: string };

/**
 * Compiles `source`. Backreferences and look-around are not RE2 syntax and are reported as a problem.
 * Rejected: the runtime's own RegExp, which `^(a+)+$` against 40 letters keeps busy for minutes.
 */
export function compilePattern(source: string): CompilePatternResult {
  try {
    const compiled = RE2JS.compile(source);
    return { pattern: { source, test: (text) => compiled.test(text) } };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { problem: problem.replace(/^error parsing regexp: /, '') };
  }
}
