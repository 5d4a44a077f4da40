/** The scenario files of a folder, each with what keeps it from being used. */
import type { VpError } from '../../errors/vp-error.ts';
import type { FolderScenario } from '../../onboarding/doctor/context.ts';
import { type Problem, problemOf } from '../../onboarding/preflight/check.ts';
import { idOf, type ParsedFile, parseFile } from '../read-scenarios.ts';
import { readScenarioFiles } from '../scenario-files.ts';
import { sha256Of } from '../scenarios/folder.ts';

/** Throws what is wrong with the folder itself: SCENARIO_FOLDER_EMPTY, SCENARIO_FILE_UNREADABLE. */
export function folderScenarios(folder: string): readonly FolderScenario[] {
  const refused: FolderScenario[] = [];
  const files = readScenarioFiles([folder], '/', (error) => refused.push(unread(error, folder)));
  return [...files.map(readOne), ...refused];
}

function unread(error: VpError, folder: string): FolderScenario {
  if (error.values.path === folder) throw error;
  return { file: String(error.values.path), id: undefined, sha256: '', problem: problemOf(error) };
}

function readOne(file: { readonly file: string; readonly text: string }): FolderScenario {
  const parsed = parseFile(file, { variables: 'any' });
  return { file: file.file, id: idOf(parsed), sha256: sha256Of(file.text), problem: problemIn(parsed) };
}

/** The first mistake; `vp validate` tells all of them. */
function problemIn({ file, scenario, diagnostics }: ParsedFile): Problem | undefined {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  if (scenario || !first) return undefined;
  const { line, column } = first.range.start;
  return {
    code: first.code,
    severity: 'error',
    message: `${file}:${line}:${column}: ${first.message}`,
    cure: first.cure,
  };
}
