/** Scenarios by their text, each parsed once: the runs of a queue repeat a few texts. */
import type { Diagnostic } from '../scenario/diagnostic.ts';
import { type ParseOptions, parseScenario } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** `scenario` is undefined where a diagnostic is an error. */
export type ReadScenario = { readonly scenario: Scenario | undefined; readonly diagnostics: readonly Diagnostic[] };

/** Texts kept, the ones used last. */
const keptTexts = 1024;

/** A reader that remembers. */
export function scenarioTexts(options: ParseOptions): (text: string) => ReadScenario {
  const known = new Map<string, ReadScenario>();
  return (text) => {
    const before = known.get(text);
    const read = before ?? parse(text, options);
    if (before) known.delete(text);
    known.set(text, read);
    const [oldest] = known.keys();
    if (known.size > keptTexts && oldest !== undefined) known.delete(oldest);
    return read;
  };
}

function parse(text: string, options: ParseOptions): ReadScenario {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, options, (diagnostic) => diagnostics.push(diagnostic));
  return { scenario, diagnostics };
}

/** The first diagnostic that refuses the scenario: its words and its line. */
export function firstError({ diagnostics }: ReadScenario): { readonly first: string; readonly line: number } {
  const error = diagnostics.find(({ severity }) => severity === 'error');
  return { first: error?.message ?? 'it cannot be read', line: error?.range.start.line ?? 1 };
}
