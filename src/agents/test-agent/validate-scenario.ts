import { Type } from '@sinclair/typebox';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { formatScenario } from '../../scenario/format.ts';
import { cut, pieceLength } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { diagnosticFacts, diagnosticsText, tallyText } from '../diagnosed.ts';
import { readOnly, tool } from '../tool.ts';

/** Everything that is wrong with a text, in one pass, without storing it. */
export const validateScenario = tool({
  name: 'author__validate_scenario',
  description:
    'Every error and warning of a scenario text with line, column and cure, and the formatted text when valid. Stores nothing.',
  input: Type.Object({ text: Type.String() }),
  annotations: readOnly,
  async handle({ text }, { project }) {
    const diagnostics: Diagnostic[] = [];
    const formatted = formatScenario(text, project.names, (diagnostic) => diagnostics.push(diagnostic));
    const told = diagnosticFacts(text, diagnostics);
    const valid = formatted !== undefined;
    const isShown = valid && formatted !== text && formatted.length <= pieceLength;
    const next = valid
      ? 'Next: author__request_run with this text, or author__write_scenario.'
      : 'Mend every error, then validate again.';
    return {
      text: linesOf(
        `${valid ? 'Valid' : 'Not valid'}: ${tallyText(diagnostics)}`,
        diagnosticsText(told),
        told.length < diagnostics.length && `${diagnostics.length - told.length} more; mend these first.`,
        valid && formatted === text && 'It is formatted as usual.',
        isShown && cut(`Formatted:\n${formatted}`, 4000),
        next,
      ),
      data: {
        valid,
        diagnostics: told,
        left_out: diagnostics.length - told.length,
        formatted: isShown ? formatted : null,
      },
    };
  },
});
