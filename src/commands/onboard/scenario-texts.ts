/** The scenario files of a folder, for onboarding: read and sent as `vp scenarios push` does. */
import type { Environment } from '../../environment/environment.ts';
import type { ScenarioText } from '../../onboarding/context.ts';
import type { SendScenario } from '../../onboarding/scenario-import.ts';
import { idOf, type ParsedFile, parseFile } from '../read-scenarios.ts';
import { readScenarioFiles } from '../scenario-files.ts';
import { pushFile } from '../scenarios/push.ts';
import { seenFiles } from '../scenarios/seen.ts';

/** All of them; a file that cannot be read, or that has mistakes, with its reason. */
export function scenarioTexts(folder: string, cwd: string): ScenarioText[] {
  const refused: ScenarioText[] = [];
  const files = readScenarioFiles([folder], cwd, (error) => {
    if (error.code === 'SCENARIO_FOLDER_EMPTY') return;
    const file = String(error.values.path ?? folder);
    refused.push({ file, id: undefined, title: undefined, text: '', problem: error.message });
  });
  return [...files.map((file) => textOf(parseFile(file, { variables: 'any' }))), ...refused];
}

function textOf(parsed: ParsedFile): ScenarioText {
  const { file, text, scenario, diagnostics } = parsed;
  const [first, ...more] = diagnostics.filter(({ severity }) => severity === 'error');
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  const problem = scenario || !first ? undefined : `line ${first.range.start.line}: ${first.message}${others}`;
  return { file, id: idOf(parsed), title: scenario?.title, text, problem };
}

/** Sends one, as `vp scenarios push` would. */
export function sending(environment: Environment): SendScenario {
  return async (client, instance, { file, text }, entry) => {
    const parsed = parseFile({ file, text }, { variables: 'any' });
    const { scenario } = parsed;
    if (!scenario) return { refused: 'it is no scenario' };
    const seen = seenFiles(environment, client.transport.baseUrl, instance);
    const { outcome, reason } = await pushFile(
      { client, instance, seen, force: false },
      { ...parsed, scenario },
      entry,
    );
    seen.save();
    return { refused: outcome === 'refused' || outcome === 'invalid' ? (reason ?? outcome) : undefined };
  };
}
