import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { formatScenario } from '../../scenario/format.ts';
import type { AgentPorts } from '../ports.ts';
import { formatQuantity, joinLines, maxPieceLength, truncate } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations, type ToolOutput } from '../tools/tool.ts';
import { formatMergedDiagnostics, labelText, mergeDiagnostics } from './diagnostic-batch.ts';
import { formatDiagnostics, formatTally, toDiagnosticEntries } from './diagnostic-entries.ts';
import { TextsInput } from './texts-input.ts';

/** Reports all problems of one text or several in one pass, without storing them. */
export const validateScenarioTool = createTool({
  name: 'author__validate_scenario',
  description:
    'Every error and warning of a scenario text, or of several (texts), with line, column and fix; the formatted text when one is valid. Stores nothing.',
  input: Type.Object({ text: Type.Optional(Type.String()), texts: TextsInput }),
  annotations: readOnlyAnnotations,
  async handle({ text, texts }, { project }) {
    if (text !== undefined && texts === undefined) return validateText(text, project);
    if (texts !== undefined && text === undefined) return validateTexts(texts, project);
    throw vpError('AGENT_TEXT_AMBIGUOUS', {});
  },
});

function validateText(text: string, project: AgentPorts['project']): ToolOutput {
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
}

function validateTexts(texts: readonly string[], project: AgentPorts['project']): ToolOutput {
  const results = texts.map((text, index) => {
    const diagnostics: Diagnostic[] = [];
    const formatted = formatScenario(text, project.names, (diagnostic) => diagnostics.push(diagnostic));
    return { label: labelText(text, index), valid: formatted !== undefined, diagnostics };
  });
  const invalid = results.filter(({ valid }) => !valid).map(({ label }) => label);
  const merged = mergeDiagnostics(results);
  const next =
    invalid.length === 0 ? 'Next: author__write_scenario with texts.' : 'Fix every error, then validate these again.';
  return {
    text: joinLines(
      `${formatQuantity(texts.length - invalid.length, 'text')} of ${texts.length} valid`,
      formatMergedDiagnostics(merged),
      next,
    ),
    data: { valid: invalid.length === 0, invalid },
  };
}
