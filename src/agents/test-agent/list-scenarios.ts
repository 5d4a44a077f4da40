import { Type } from '@sinclair/typebox';
import { counted, cut } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { CursorInput, LimitInput, usualLimit } from '../input.ts';
import { readOnly, tool } from '../tool.ts';

/** The catalogue, page by page. */
export const listScenarios = tool({
  name: 'author__list_scenarios',
  description: 'Scenarios of the catalogue: ids, titles, tags, revisions. Read one with author__get_scenario.',
  input: Type.Object({ limit: LimitInput, cursor: CursorInput }),
  annotations: readOnly,
  async handle({ limit = usualLimit, cursor }, { control }, { instance, signal }) {
    const page = await control.scenarios.list(instance, { limit, cursor }, { signal });
    const scenarios = page.items.map(({ scenario_id, title, layer, tags, revision, updated_at, updated_by }) => {
      const told = tags.slice(0, 20).map((tag) => cut(tag, 60));
      return { scenario_id, title: cut(title, 200), layer, tags: told, revision, updated_at, updated_by };
    });
    const text = linesOf(
      scenarios.length === 0
        ? 'The catalogue has none here: write one with author__write_scenario.'
        : counted(scenarios.length, 'scenario'),
      ...scenarios.map(({ scenario_id, revision, title, tags }) => {
        return `${scenario_id}  r${revision}  ${title}${tags.length > 0 ? `  [${tags.join(', ')}]` : ''}`;
      }),
      page.next_cursor !== null && `There are more: call again with cursor ${page.next_cursor}.`,
    );
    return { text, data: { scenarios, next_cursor: page.next_cursor } };
  },
});
