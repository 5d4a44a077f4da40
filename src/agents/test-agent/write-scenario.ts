import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import { joinLines } from '../tools/result-text.ts';
import { createTool } from '../tools/tool.ts';
import { formatDiagnostics, formatTally, toDiagnosticEntries } from './diagnostic-entries.ts';

/** Stores a scenario in the catalogue only; no file is written. */
export const writeScenarioTool = createTool({
  name: 'author__write_scenario',
  description:
    'Store a scenario (title `# Scenario: <METHOD> <name>`) in the catalogue under the ID in its text; invalid text is refused with all diagnostics. if_revision: only if the catalogue is at it (0: new). Then author__request_run.',
  input: Type.Object({ text: Type.String(), if_revision: Type.Optional(Type.Integer({ minimum: 0 })) }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  async handle({ text, if_revision }, { control, project }, { instance, signal }) {
    const diagnostics: Diagnostic[] = [];
    const scenario = parseScenario(text, project.names, (diagnostic) => diagnostics.push(diagnostic));
    if (!scenario) throw createRefusedError(diagnostics);
    const input = { text, ...(if_revision === undefined ? {} : { if_revision }) };
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
  },
});

function createRefusedError(diagnostics: readonly Diagnostic[]) {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  const values = { errors: formatTally(diagnostics), line: first?.range.start.line ?? 1, first: first?.message ?? '' };
  return vpError('SCENARIO_REFUSED', values, { diagnostics });
}
