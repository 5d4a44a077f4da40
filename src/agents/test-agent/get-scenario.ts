import { Type } from '@sinclair/typebox';
import { OffsetInput, ScenarioIdInput } from '../tools/input-schemas.ts';
import { joinLines, sliceText } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

export const getScenarioTool = createTool({
  name: 'author__get_scenario',
  description: 'The text of a scenario, and its revision for if_revision of author__write_scenario.',
  input: Type.Object({
    scenario_id: ScenarioIdInput,
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    offset: OffsetInput,
  }),
  annotations: readOnlyAnnotations,
  async handle({ scenario_id, revision, offset = 0 }, { control }, { instance, signal }) {
    const scenario = await control.scenarios.get(instance, scenario_id, revision, { signal });
    const { text, nextOffset, total } = sliceText(scenario.text, offset);
    const { title, tags, layer, updated_at, updated_by } = scenario;
    const more =
      nextOffset !== null && `(characters ${offset} to ${nextOffset} of ${total}; continue with offset ${nextOffset})`;
    const facts = { scenario_id, revision: scenario.revision, title, tags, layer, updated_at, updated_by };
    return {
      text: joinLines(`${scenario_id}, revision ${scenario.revision}:`, text, more),
      data: { ...facts, offset, total, next_offset: nextOffset, content: text },
    };
  },
});
