import { Type } from '@sinclair/typebox';
import { CursorInput, defaultItemLimit, LimitInput } from '../tools/input-schemas.ts';
import { formatQuantity, joinLines, truncate } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';
import { describeCoverage } from './scenario-coverage.ts';

export const listScenariosTool = createTool({
  name: 'author__list_scenarios',
  description:
    'Scenarios of the catalogue: ids, titles, tags, revisions. Read one with author__get_scenario. openapi, the text of an API document: instead, which of its operations, statuses and fields they check.',
  input: Type.Object({ limit: LimitInput, cursor: CursorInput, openapi: Type.Optional(Type.String()) }),
  annotations: readOnlyAnnotations,
  async handle({ limit = defaultItemLimit, cursor, openapi }, ports, context) {
    if (openapi !== undefined) return describeCoverage(openapi, ports, context);
    const { control } = ports;
    const { instance, signal } = context;
    const page = await control.scenarios.list(instance, { limit, cursor }, { signal });
    const scenarios = page.items.map(({ scenario_id, title, layer, tags, revision, updated_at, updated_by }) => {
      const tagNames = tags.slice(0, 20).map((tag) => truncate(tag, 60));
      return { scenario_id, title: truncate(title, 200), layer, tags: tagNames, revision, updated_at, updated_by };
    });
    const text = joinLines(
      scenarios.length === 0
        ? 'No scenarios here: write one with author__write_scenario.'
        : formatQuantity(scenarios.length, 'scenario'),
      ...scenarios.map(({ scenario_id, revision, title, tags }) => {
        return `${scenario_id}  r${revision}  ${title}${tags.length > 0 ? `  [${tags.join(', ')}]` : ''}`;
      }),
      page.next_cursor !== null && `There are more: call again with cursor ${page.next_cursor}.`,
    );
    return { text, data: { scenarios, next_cursor: page.next_cursor } };
  },
});
