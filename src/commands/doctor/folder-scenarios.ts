/** The scenario files of a folder, each with the problem that prevents its use. */
import { hash } from 'node:crypto';
import type { VpError } from '../../errors/vp-error.ts';
import { type SetupProblem, toProblem } from '../../onboarding/checks/setup-check.ts';
import type { FolderScenario } from '../../onboarding/doctor/context.ts';
import { findScenarioId, type ParsedFile, parseFile } from '../scenarios/read-scenarios.ts';
import { readScenarioFiles } from '../scenarios/scenario-files.ts';

/** Throws problems of the folder itself: SCENARIO_FOLDER_EMPTY, SCENARIO_FILE_UNREADABLE. */
export function readFolderScenarios(folder: string): readonly FolderScenario[] {
  const unreadable: FolderScenario[] = [];
  const files = readScenarioFiles([folder], '/', (error) => unreadable.push(toUnreadableScenario(error, folder)));
  return [...files.map(toFolderScenario), ...unreadable];
}

function toUnreadableScenario(error: VpError, folder: string): FolderScenario {
  if (error.values.path === folder) throw error;
  return { file: String(error.values.path), id: undefined, sha256: '', problem: toProblem(error) };
}

function toFolderScenario(file: { readonly file: string; readonly text: string }): FolderScenario {
  const parsed = parseFile(file, { variables: 'any' });
  return {
    file: file.file,
    id: findScenarioId(parsed),
    sha256: hash('sha256', file.text),
    problem: findProblem(parsed),
  };
}

/** The first error; `vp validate` lists all of them. */
function findProblem({ file, scenario, diagnostics }: ParsedFile): SetupProblem | undefined {
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
