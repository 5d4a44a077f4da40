/** The `openapi` of author__list_scenarios: what of an API document the catalogue checks. */
import { vpError } from '../../errors/vp-error.ts';
import { type CoverageTotals, computeCoverage } from '../../import/openapi/coverage.ts';
import { parseDocumentText, readOpenApi } from '../../import/openapi/document.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { AgentPorts } from '../ports.ts';
import { joinLines, truncate } from '../tools/result-text.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';

const maxListed = 40;
const maxFields = 12;

/** Every scenario of the catalogue is read, so the numbers are of all of them. */
export async function describeCoverage(
  text: string,
  { control }: AgentPorts,
  { instance, signal }: ToolContext,
): Promise<ToolOutput> {
  const document = readOpenApi(await parseDocumentText({ name: 'openapi', text }));
  if (!document)
    throw vpError('AGENT_IMPORT_NOTHING', {
      format: 'openapi',
      reason: 'it is not an OpenAPI document of version 2 or 3',
    });
  const entries = await control.scenarios.listAll(instance, { signal });
  const scenarios: Scenario[] = [];
  for (const { scenario_id } of entries) {
    const { text: source } = await control.scenarios.get(instance, scenario_id, undefined, { signal });
    const scenario = parseScenario(source, { variables: 'any' }, () => {});
    if (scenario) scenarios.push(scenario);
  }
  const { operations, totals } = computeCoverage(document, scenarios);
  const missing = operations
    .filter((each) => each.scenarios.length === 0)
    .map(({ method, path }) => `${method} ${path}`);
  const partly = operations.flatMap(({ method, path, scenarios: own, statuses, fields }) => {
    const open = statuses.filter((status) => status.scenarios.length === 0).map(({ status }) => status);
    const unchecked = fields.filter(({ isChecked }) => !isChecked).map(({ field }) => field);
    if (own.length === 0 || open.length + unchecked.length === 0) return [];
    const parts = [
      ...(open.length === 0 ? [] : [`no scenario expects ${open.slice(0, maxFields).join(', ')}`]),
      ...(unchecked.length === 0
        ? []
        : [
            `not checked: ${unchecked.slice(0, maxFields).join(', ')}${unchecked.length > maxFields ? ` and ${unchecked.length - maxFields} more` : ''}`,
          ]),
    ];
    return [truncate(`${method} ${path}: ${parts.join('; ')}`, 400)];
  });
  return {
    text: joinLines(
      `Checked: ${format('operations', totals.operations)}, ${format('statuses', totals.statuses)}, ${format('fields', totals.fields)}.`,
      missing.length > 0 &&
        `Without a scenario: ${missing.slice(0, maxListed).join(', ')}${missing.length > maxListed ? ` and ${missing.length - maxListed} more` : ''}`,
      ...partly.slice(0, maxListed),
      partly.length > maxListed && `and ${partly.length - maxListed} more operations`,
    ),
    data: {
      totals,
      missing: missing.slice(0, maxListed),
      scenarios: scenarios.length,
      unreadable: entries.length - scenarios.length,
    },
  };
}

function format(name: string, { covered, total }: CoverageTotals): string {
  return `${covered} of ${total} ${name}`;
}
