import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { parseScenario } from '../../scenario/parse.ts';
import { linesOf } from '../answer/words.ts';
import { tallyText } from '../diagnosed.ts';
import { tool } from '../tool.ts';

/** Puts a scenario into the catalogue, and only there. */
export const writeScenario = tool({
  name: 'author__write_scenario',
  description:
    'Store a scenario in the catalogue under the ID in its text. Invalid text is refused with all diagnostics. if_revision: refuse unless the catalogue is at it (0: new only). Then author__request_run.',
  input: Type.Object({ text: Type.String(), if_revision: Type.Optional(Type.Integer({ minimum: 0 })) }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  async handle({ text, if_revision }, { control, project }, { instance, signal }) {
    const diagnostics: Diagnostic[] = [];
    const scenario = parseScenario(text, project.names, (diagnostic) => diagnostics.push(diagnostic));
    if (!scenario) throw refused(diagnostics);
    const input = { text, ...(if_revision === undefined ? {} : { if_revision }) };
    const { scenario_id, revision, title } = await control.scenarios.write(instance, scenario.id, input, { signal });
    const pull = 'vp scenarios pull';
    return {
      text: linesOf(
        `Stored ${scenario_id} as revision ${revision}.`,
        `It is in the catalogue only: \`${pull}\` in the scenarios folder writes it to a file there.`,
        `Next: author__request_run with scenario_id ${scenario_id}.`,
      ),
      data: { scenario_id, revision, title, warnings: diagnostics.length, pull_with: pull },
    };
  },
});

function refused(diagnostics: readonly Diagnostic[]) {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  const values = { errors: tallyText(diagnostics), line: first?.range.start.line ?? 1, first: first?.message ?? '' };
  return vpError('SCENARIO_REFUSED', values, { diagnostics });
}
