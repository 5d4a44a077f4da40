import { Type } from '@sinclair/typebox';
import { ScenarioIdInput } from '../tools/input-schemas.ts';
import { createTool } from '../tools/tool.ts';

/** Removes a scenario from the catalogue; its runs remain. */
export const deleteScenario = createTool({
  name: 'author__delete_scenario',
  description: 'Delete a scenario from the catalogue. Its runs and reports remain; files in folders are not changed.',
  input: Type.Object({ scenario_id: ScenarioIdInput }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  async handle({ scenario_id }, { control }, { instance, signal }) {
    await control.scenarios.remove(instance, scenario_id, { signal });
    const text = `${scenario_id} is no longer in the catalogue. If a folder still contains its file, \`vp scenarios push\` adds it again.`;
    return { text, data: { scenario_id, deleted: true } };
  },
});
