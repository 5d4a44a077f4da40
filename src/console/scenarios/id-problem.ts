import { createDiagnostic, type Diagnostic } from '../../scenario/diagnostic.ts';
import { findIdRange } from '../../scenario/id-range.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** A free ID like `id`. */
function proposeFreeScenarioId(id: string, takenIds: ReadonlySet<string>): string {
  for (let number = 2; ; number += 1) if (!takenIds.has(`${id}-${number}`)) return `${id}-${number}`;
}

/** Why the text cannot be saved under its ID; `savedId` is undefined for a new scenario. */
export function findIdProblem(
  scenario: Scenario | undefined,
  savedId: string | undefined,
  takenIds: ReadonlySet<string>,
): Diagnostic | undefined {
  if (!scenario) return undefined;
  const { id } = scenario;
  if (savedId === undefined)
    return takenIds.has(id)
      ? createDiagnostic('SCENARIO_ID_IN_USE', findIdRange(scenario), {
          id,
          proposal: proposeFreeScenarioId(id, takenIds),
        })
      : undefined;
  return id === savedId
    ? undefined
    : createDiagnostic('SCENARIO_ID_CHANGED', findIdRange(scenario), { id, expected: savedId });
}
