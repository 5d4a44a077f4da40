import { Type } from '@sinclair/typebox';
import { ScenarioIdInput } from '../input.ts';
import { tool } from '../tool.ts';

/** Takes a scenario out of the catalogue; its runs stay. */
export const deleteScenario = tool({
  name: 'author__delete_scenario',
  description: 'Take a scenario out of the catalogue. Its runs and reports stay; files in folders are not touched.',
  input: Type.Object({ scenario_id: ScenarioIdInput }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  async handle({ scenario_id }, { control }, { instance, signal }) {
    await control.scenarios.remove(instance, scenario_id, { signal });
    const text = `${scenario_id} is no longer in the catalogue. A file of it in a folder comes back with \`vp scenarios push\`.`;
    return { text, data: { scenario_id, deleted: true } };
  },
});
