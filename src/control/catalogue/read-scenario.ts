import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';

/**
 * Variables that the instance's executor allows in scenarios. They are unknown before its first hello: until then any name is
 * accepted, and the executor refuses at the run what its config does not allow.
 */
function parseAllowedVariables({ scenario_variables: json }: InstanceRow): string[] | 'any' {
  if (json === null) return 'any';
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** Parses a text for an instance. Throws SCENARIO_REFUSED with every diagnostic. */
export function readScenario(text: string, instance: InstanceRow): Scenario {
  const diagnostics: Diagnostic[] = [];
  const variables = parseAllowedVariables(instance);
  const scenario = parseScenario(text, { variables }, (diagnostic) => diagnostics.push(diagnostic));
  if (scenario) return scenario;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  const [first] = errors;
  const values = { errors: count, line: first?.range.start.line ?? 1, first: first?.message ?? '' };
  throw vpError('SCENARIO_REFUSED', values, { diagnostics });
}
