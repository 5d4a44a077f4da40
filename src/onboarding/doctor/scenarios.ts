import { stat } from 'node:fs/promises';
import { checkSkipped, createProblem } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** Every scenario in the folder is valid. The default folder may be missing. */
export const scenariosCheck: DoctorCheck = {
  id: 'scenarios',
  title: 'folder of scenarios',
  async inspect({ scenarios, readScenarios }) {
    if (!scenarios) return checkSkipped('not checked without --scenarios or --test-dir');
    const { folder, isNamed } = scenarios;
    if (!(await stat(folder).catch(() => undefined))) {
      const code = isNamed ? 'SCENARIOS_FOLDER_MISSING' : 'SCENARIOS_DEFAULT_MISSING';
      return { facts: [], problems: [createProblem(code, { folder })] };
    }
    const files = readScenarios(folder);
    const problems = files.flatMap(({ problem }) => problem ?? []);
    return { facts: [`${files.length - problems.length} of ${files.length} can be used`], problems };
  },
};
