import { stat } from 'node:fs/promises';
import { problem, skipped } from '../preflight/check.ts';
import type { DoctorCheck } from './context.ts';

/** The folder of scenarios is there, and each can be used. A folder that nobody named may be missing. */
export const scenariosCheck: DoctorCheck = {
  id: 'scenarios',
  title: 'folder of scenarios',
  async look({ scenarios, readScenarios }) {
    if (!scenarios) return skipped('not looked at without --scenarios or --test-dir');
    const { folder, isNamed } = scenarios;
    if (!(await stat(folder).catch(() => undefined))) {
      const code = isNamed ? 'SCENARIOS_FOLDER_MISSING' : 'SCENARIOS_DEFAULT_MISSING';
      return { facts: [], problems: [problem(code, { folder })] };
    }
    const files = readScenarios(folder);
    const problems = files.flatMap(({ problem }) => problem ?? []);
    return { facts: [`${files.length - problems.length} of ${files.length} can be used`], problems };
  },
};
