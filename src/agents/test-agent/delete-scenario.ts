import { Type } from '@sinclair/typebox';
import { ScenarioIdInput } from '../tools/input-schemas.ts';
import { createTool } from '../tools/tool.ts';

/** Removes a scenario from the catalogue; its runs remain. */
export const deleteScenarioTool = createTool({
  name: 'author__delete_scenario',
  description: 'Delete a scenario from the catalogue. Its runs and files in folders remain.',
  input: Type.Object({ scenario_id: ScenarioIdInput }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  async handle({ scenario_id }, { control }, { instance, signal }) {
    await control.scenarios.remove(instance, scenario_id, { signal });
    const text = `${scenario_id} is no longer in the catalogue. A person can restore it; author__write_scenario writes it again.`;
    return { text, data: { scenario_id, deleted: true } };
  },
});
