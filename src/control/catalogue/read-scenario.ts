import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';
import { parseScenarioVariables } from '../wire.ts';

/**
 * Parses a text for an instance. Throws SCENARIO_REFUSED with every diagnostic. Before the first hello of the instance's
 * executor any variable is accepted; the executor refuses at the run what its config does not allow.
 */
export function readScenario(text: string, instance: InstanceRow): Scenario {
  const diagnostics: Diagnostic[] = [];
  const variables = parseScenarioVariables(instance) ?? 'any';
  const scenario = parseScenario(text, { variables }, (diagnostic) => diagnostics.push(diagnostic));
  if (scenario) return scenario;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  const [first] = errors;
  const values = { errors: count, line: first?.range.start.line ?? 1, first: first?.message ?? '' };
  throw vpError('SCENARIO_REFUSED', values, { diagnostics });
}
