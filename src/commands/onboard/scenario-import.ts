/** Imports the scenario files of a folder during onboarding, as `vp scenarios push` does. */
import type { Environment } from '../../environment/environment.ts';
import type { ScenarioImportFile, SendScenario } from '../../onboarding/scenario-import.ts';
import { openPulledVersions } from '../scenarios/pulled-versions.ts';
import { pushFile } from '../scenarios/push-file.ts';
import { findScenarioId, type ParsedFile, parseFile } from '../scenarios/read-scenarios.ts';
import { readScenarioFiles } from '../scenarios/scenario-files.ts';

/** All files; those that cannot be read or have errors have a `problem`. */
export function readScenarioTexts(folder: string, cwd: string): ScenarioImportFile[] {
  const refused: ScenarioImportFile[] = [];
  const files = readScenarioFiles([folder], cwd, (error) => {
    if (error.code === 'SCENARIO_FOLDER_EMPTY') return;
    const file = String(error.values.path ?? folder);
    refused.push({ file, id: undefined, title: undefined, text: '', problem: error.message });
  });
  return [...files.map((file) => toScenarioText(parseFile(file, { variables: 'any' }))), ...refused];
}

function toScenarioText(parsed: ParsedFile): ScenarioImportFile {
  const { file, text, scenario, diagnostics } = parsed;
  const [first, ...more] = diagnostics.filter(({ severity }) => severity === 'error');
  const moreNote = more.length === 0 ? '' : `, and ${more.length} more`;
  const problem = scenario || !first ? undefined : `line ${first.range.start.line}: ${first.message}${moreNote}`;
  return { file, id: findScenarioId(parsed), title: scenario?.title, text, problem };
}

export function createScenarioSender(environment: Environment): SendScenario {
  return async (client, instance, { file, text }, entry) => {
    const parsed = parseFile({ file, text }, { variables: 'any' });
    const { scenario } = parsed;
    if (!scenario) return { refused: 'it is not a scenario' };
    const versions = openPulledVersions(environment, client.transport.baseUrl, instance);
    const { outcome, reason } = await pushFile(
      { client, instance, versions, prefer: undefined, environment },
      { ...parsed, scenario },
      entry,
    );
    versions.save();
    if (outcome === 'kept') return { refused: undefined, kept: reason ?? outcome };
    const isConflict = outcome === 'conflict';
    return { refused: isConflict || outcome === 'invalid' ? (reason ?? outcome) : undefined, isConflict };
  };
}
