import { vpError } from '../errors/vp-error.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import { parseScenario } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { InstanceRow } from '../store/control/instances.ts';

/**
 * Names that the instance's executor allows in scenarios. Before it has called for the first time nobody knows them: any
 * is let through then, and the executor refuses at the run what its config does not allow.
 */
function variablesOf({ scenario_variables: told }: InstanceRow): string[] | 'any' {
  if (told === null) return 'any';
  const names: unknown = JSON.parse(told);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** Reads a text for an instance. Throws SCENARIO_REFUSED with every diagnostic. */
export function readScenario(text: string, instance: InstanceRow): Scenario {
  const diagnostics: Diagnostic[] = [];
  const variables = variablesOf(instance);
  const scenario = parseScenario(text, { variables }, (diagnostic) => diagnostics.push(diagnostic));
  if (scenario) return scenario;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  const [first] = errors;
  const values = { errors: count, line: first?.range.start.line ?? 1, first: first?.message ?? '' };
  throw vpError('SCENARIO_REFUSED', values, { diagnostics });
}
