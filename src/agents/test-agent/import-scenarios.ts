/** The `import` of author__write_scenario: what another tool has, as scenarios of the catalogue. Existing ones are never replaced. */
import { Type } from '@sinclair/typebox';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { type ImportFormat, importFormats, importSource } from '../../import/import-source.ts';
import type { UntranslatedItem } from '../../import/imported.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { AgentPorts } from '../ports.ts';
import { joinLines, truncate } from '../tools/result-text.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';

export const ImportInput = Type.Object(
  { format: Type.Union(importFormats.map((format) => Type.Literal(format))), source: Type.String() },
  { additionalProperties: false },
);

/** More are not stored by one call: the agent could not read the answer. */
const maxScenarios = 200;
const maxReasons = 8;

export async function importScenarios(
  { format, source }: { readonly format: ImportFormat; readonly source: string },
  { control, project }: AgentPorts,
  { instance, signal }: ToolContext,
): Promise<ToolOutput> {
  const imported = await importSource(format, [{ name: format, text: source }]);
  if (imported.scenarios.length === 0) {
    const [first] = imported.untranslated;
    throw vpError('AGENT_IMPORT_NOTHING', {
      format,
      reason: truncate(first ? `${first.item}: ${first.reason}` : 'it is empty', 200),
    });
  }
  const stored: string[] = [];
  const existing: string[] = [];
  const waiting: string[] = [];
  const sending: string[] = [];
  for (const { id, text } of imported.scenarios.slice(0, maxScenarios)) {
    if (imported.uploads.some(({ name }) => text.includes(` = @${name}`))) {
      sending.push(id);
      continue;
    }
    if (!parseScenario(text, project.names, () => {})) {
      waiting.push(id);
      continue;
    }
    try {
      await control.scenarios.write(instance, id, { text, if_revision: 0 }, { signal });
      stored.push(id);
    } catch (error) {
      if (!(error instanceof VpError) || !['SCENARIO_CHANGED', 'SCENARIO_DELETED'].includes(error.code)) throw error;
      existing.push(id);
    }
  }
  const remainingCount = imported.scenarios.length - Math.min(imported.scenarios.length, maxScenarios);
  const names = imported.variables.map(({ name }) => name);
  return {
    text: joinLines(
      `Stored ${stored.length} of ${imported.scenarios.length} scenarios: ${truncate(stored.join(', '), 1000)}`,
      existing.length > 0 && `In the catalogue before, unchanged: ${truncate(existing.join(', '), 300)}`,
      waiting.length > 0 &&
        `Not stored, because they use variables that scenarios.variables of the config does not list (${truncate(names.join(', '), 300)}): ${truncate(waiting.join(', '), 300)}`,
      remainingCount > 0 && `${remainingCount} more: at most ${maxScenarios} are stored by one call.`,
      sending.length > 0 &&
        `Not stored, because they send files, which only scenarios in a folder have: ${truncate(sending.join(', '), 300)}`,
      ...describeUntranslated(imported.untranslated),
      stored.length > 0 && 'Next: author__request_suite with prove true.',
    ),
    data: {
      stored,
      existing,
      waiting,
      sending_files: sending,
      variables: names,
      untranslated: imported.untranslated.length,
      left_out: remainingCount,
    },
  };
}

function describeUntranslated(untranslated: readonly UntranslatedItem[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const { reason } of untranslated) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const lines = [...reasons]
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${count} × ${truncate(reason, 200)}`);
  return lines.length === 0 ? [] : ['Not translated:', ...lines.slice(0, maxReasons)];
}
