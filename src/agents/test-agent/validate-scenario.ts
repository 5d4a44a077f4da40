import { Type } from '@sinclair/typebox';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { formatScenario } from '../../scenario/format.ts';
import { joinLines, maxPieceLength, truncate } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';
import { formatDiagnostics, formatTally, toDiagnosticEntries } from './diagnostic-entries.ts';

/** Reports all problems of a text in one pass, without storing it. */
export const validateScenarioTool = createTool({
  name: 'author__validate_scenario',
  description:
    'Every error and warning of a scenario text with line, column and fix, and the formatted text when valid. Title: `# Scenario: <METHOD> <name>`. Stores nothing.',
  input: Type.Object({ text: Type.String() }),
  annotations: readOnlyAnnotations,
  async handle({ text }, { project }) {
    const diagnostics: Diagnostic[] = [];
    const formatted = formatScenario(text, project.names, (diagnostic) => diagnostics.push(diagnostic));
    const entries = toDiagnosticEntries(text, diagnostics);
    const valid = formatted !== undefined;
    const includesFormatted = valid && formatted !== text && formatted.length <= maxPieceLength;
    const next = valid
      ? 'Next: author__request_run with this text, or author__write_scenario.'
      : 'Fix every error, then validate again.';
    return {
      text: joinLines(
        `${valid ? 'Valid' : 'Not valid'}: ${formatTally(diagnostics)}`,
        formatDiagnostics(entries),
        entries.length < diagnostics.length && `${diagnostics.length - entries.length} more; fix these first.`,
        valid && formatted === text && 'It is already formatted.',
        includesFormatted && truncate(`Formatted:\n${formatted}`, 4000),
        next,
      ),
      data: {
        valid,
        diagnostics: entries,
        left_out: diagnostics.length - entries.length,
        formatted: includesFormatted ? formatted : null,
      },
    };
  },
});
