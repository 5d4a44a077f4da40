import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { AgentPorts } from '../ports.ts';
import { joinLines, truncate } from '../tools/result-text.ts';
import { createTool, type ToolContext, type ToolOutput } from '../tools/tool.ts';
import { formatMergedDiagnostics, labelText, mergeDiagnostics } from './diagnostic-batch.ts';
import { formatDiagnostics, formatTally, toDiagnosticEntries } from './diagnostic-entries.ts';
import { ImportInput, importScenarios } from './import-scenarios.ts';
import { TextsInput } from './texts-input.ts';

/** Stores scenarios in the catalogue only; no file is written. */
export const writeScenarioTool = createTool({
  name: 'author__write_scenario',
  description:
    'Store a scenario, or several (texts), in the catalogue under the ID in its text; invalid ones are refused with all diagnostics, the others stored. if_revision (one text): only if the catalogue is at it (0: new). import, in place of texts: scenarios from the text of an OpenAPI document, collection or recording; existing ones stay. A text: `# Scenario: <METHOD> <name>`, `## Metadata` (`- ID: …`, `- Layer: HTTP Ingestion`, or with `+ Database`, `+ Log`: only these compare with `>=`), `## TRIGGER` (`GET ${INGESTION_URL}/path`, headers `X-Request-Id: ${correlation_id}`, blank line, body), `## EXPECT`, `### Runnable` with checks: `- status=200`, `- body has a.b equals x` (or matching, containing), `- body every data.id matching ^[0-9]+$`, `- body has no data.password`, `- body data length = 2`, `- body sorted by data.id desc`, `- body totalPages equals ceil(count / perPage)`, `- body total equals sum(items.price * items.qty)`, `- header Location matching ^/`, `- log errors=0`. Then author__request_suite.',
  input: Type.Object({
    text: Type.Optional(Type.String()),
    texts: TextsInput,
    import: Type.Optional(ImportInput),
    if_revision: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  async handle({ text, texts, if_revision, import: source }, ports, context) {
    if (source !== undefined && text === undefined && texts === undefined && if_revision === undefined)
      return importScenarios(source, ports, context);
    if (source !== undefined) throw vpError('AGENT_TEXT_AMBIGUOUS', {});
    if (text !== undefined && texts === undefined) return writeText(text, if_revision, ports, context);
    if (texts !== undefined && text === undefined && if_revision === undefined)
      return writeTexts(texts, ports, context);
    throw vpError('AGENT_TEXT_AMBIGUOUS', {});
  },
});

async function writeText(
  text: string,
  ifRevision: number | undefined,
  { control, project }: AgentPorts,
  { instance, signal }: ToolContext,
): Promise<ToolOutput> {
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(text, project.names, (diagnostic) => diagnostics.push(diagnostic));
  if (!scenario) throw createRefusedError(diagnostics);
  const input = { text, ...(ifRevision === undefined ? {} : { if_revision: ifRevision }) };
  const { scenario_id, revision, title } = await control.scenarios.write(instance, scenario.id, input, { signal });
  const warnings = toDiagnosticEntries(text, diagnostics);
  return {
    text: joinLines(
      `Stored ${scenario_id} as revision ${revision}.`,
      formatDiagnostics(warnings),
      'It is in the catalogue only; a person pulls it into the scenarios folder.',
      `Next: author__request_run with scenario_id ${scenario_id}.`,
    ),
    data: { scenario_id, revision, title, warnings, left_out: diagnostics.length - warnings.length },
  };
}

type WrittenText = {
  readonly label: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly id: string | undefined;
};

/** Texts are stored one after the other: an invalid one, or one whose ID was in an earlier text, is refused alone. */
async function writeTexts(
  texts: readonly string[],
  { control, project }: AgentPorts,
  { instance, signal }: ToolContext,
): Promise<ToolOutput> {
  const written: WrittenText[] = [];
  const repeated: string[] = [];
  for (const [index, text] of texts.entries()) {
    const diagnostics: Diagnostic[] = [];
    const scenario = parseScenario(text, project.names, (diagnostic) => diagnostics.push(diagnostic));
    const isRepeated = scenario !== undefined && written.some(({ id }) => id === scenario.id);
    if (isRepeated) repeated.push(scenario.id);
    const id = isRepeated ? undefined : scenario?.id;
    if (id !== undefined) await control.scenarios.write(instance, id, { text }, { signal });
    written.push({ label: labelText(text, index), diagnostics, id });
  }
  const stored = written.flatMap(({ id }) => id ?? []);
  const refused = written.filter(({ id }) => id === undefined).map(({ label }) => label);
  const merged = mergeDiagnostics(written);
  if (stored.length === 0)
    throw createRefusedError(
      written.flatMap(({ diagnostics }) => diagnostics),
      merged.entries,
    );
  return {
    text: joinLines(
      `Stored ${stored.length} of ${texts.length}${refused.length === 0 ? '' : `; refused: ${truncate(refused.join(', '), 500)}`}`,
      repeated.length > 0 && `The ID is in two of the texts: ${truncate(repeated.join(', '), 300)}. Give each its own.`,
      formatMergedDiagnostics(merged),
      refused.length === 0
        ? 'Next: author__request_suite with prove true.'
        : 'Next: correct the refused texts and write only these again.',
    ),
    data: { stored: stored.length, refused },
  };
}

function createRefusedError(diagnostics: readonly Diagnostic[], entries: readonly object[] = diagnostics) {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  const values = { errors: formatTally(diagnostics), line: first?.range.start.line ?? 1, first: first?.message ?? '' };
  return vpError('SCENARIO_REFUSED', values, { diagnostics: entries });
}
