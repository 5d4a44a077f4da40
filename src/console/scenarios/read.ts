import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Scenario, Template } from '../../scenario/scenario.ts';

/** A text as far as it can be read. */
export type Reading = { readonly scenario: Scenario | undefined; readonly diagnostics: readonly Diagnostic[] };

/**
 * Reads a scenario in the browser, with the parser of the control plane. Which names an instance allows in `${…}` only the
 * control plane knows: any is let through here, and judged when the text is saved.
 */
export function readScenario(text: string): Reading {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, { variables: 'any' }, (diagnostic) => diagnostics.push(diagnostic));
  return { scenario, diagnostics };
}

/** A template as it was written. */
export function templateText({ parts }: Template): string {
  return parts.map((part) => ('text' in part ? part.text : `\${${part.placeholder}}`)).join('');
}
