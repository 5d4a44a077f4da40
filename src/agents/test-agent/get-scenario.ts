import { Type } from '@sinclair/typebox';
import { pieceOf } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { OffsetInput, ScenarioIdInput } from '../input.ts';
import { readOnly, tool } from '../tool.ts';

/** One scenario of the catalogue. */
export const getScenario = tool({
  name: 'author__get_scenario',
  description: 'The text of a scenario, and its revision for if_revision of author__write_scenario.',
  input: Type.Object({
    scenario_id: ScenarioIdInput,
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    offset: OffsetInput,
  }),
  annotations: readOnly,
  async handle({ scenario_id, revision, offset = 0 }, { control }, { instance, signal }) {
    const found = await control.scenarios.get(instance, scenario_id, revision, { signal });
    const { text, nextOffset, total } = pieceOf(found.text, offset);
    const { title, tags, layer, updated_at, updated_by } = found;
    const more =
      nextOffset !== null && `(characters ${offset} to ${nextOffset} of ${total}; go on with offset ${nextOffset})`;
    const facts = { scenario_id, revision: found.revision, title, tags, layer, updated_at, updated_by };
    return {
      text: linesOf(`${scenario_id}, revision ${found.revision}:`, text, more),
      data: { ...facts, offset, total, next_offset: nextOffset, content: text },
    };
  },
});
