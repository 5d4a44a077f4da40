import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';

export type ParsedScenarioText = {
  readonly scenario: Scenario | undefined;
  readonly diagnostics: readonly Diagnostic[];
};

/**
 * Parses a scenario in the browser with the parser of the control plane. `variables` are the names that the instance allows in
 * `${…}`; without them, as before its executor has connected, any name is accepted.
 */
export function parseScenarioText(text: string, variables?: readonly string[]): ParsedScenarioText {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, { variables: variables ?? 'any' }, (diagnostic) => diagnostics.push(diagnostic));
  return { scenario, diagnostics };
}
