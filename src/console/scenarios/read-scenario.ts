import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Scenario, Template } from '../../scenario/scenario.ts';

export type ScenarioReading = { readonly scenario: Scenario | undefined; readonly diagnostics: readonly Diagnostic[] };

/**
 * Parses a scenario in the browser with the parser of the control plane. Any name is accepted in `${…}`: only the control
 * plane knows which ones an instance allows, and checks them when the text is saved.
 */
export function readScenario(text: string): ScenarioReading {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, { variables: 'any' }, (diagnostic) => diagnostics.push(diagnostic));
  return { scenario, diagnostics };
}

/** Returns the source text of a template. */
export function formatTemplate({ parts }: Template): string {
  return parts.map((part) => ('text' in part ? part.text : `\${${part.placeholder}}`)).join('');
}
