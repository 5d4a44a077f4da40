/** Parses each scenario text once: the runs of a queue repeat a few texts. */
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { type ParseOptions, parseScenario } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** `scenario` is undefined when a diagnostic is an error. */
export type ParsedScenario = { readonly scenario: Scenario | undefined; readonly diagnostics: readonly Diagnostic[] };

/** The least recently used texts are dropped. */
const maxCachedTexts = 1024;

export function createScenarioCache(options: ParseOptions): (text: string) => ParsedScenario {
  const cache = new Map<string, ParsedScenario>();
  return (text) => {
    const cached = cache.get(text);
    const parsed = cached ?? parse(text, options);
    if (cached) cache.delete(text);
    cache.set(text, parsed);
    const [oldest] = cache.keys();
    if (cache.size > maxCachedTexts && oldest !== undefined) cache.delete(oldest);
    return parsed;
  };
}

function parse(text: string, options: ParseOptions): ParsedScenario {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, options, (diagnostic) => diagnostics.push(diagnostic));
  return { scenario, diagnostics };
}

/** The first error: its message and its line. */
export function findFirstScenarioError({ diagnostics }: ParsedScenario): {
  readonly first: string;
  readonly line: number;
} {
  const error = diagnostics.find(({ severity }) => severity === 'error');
  return { first: error?.message ?? 'it cannot be read', line: error?.range.start.line ?? 1 };
}
