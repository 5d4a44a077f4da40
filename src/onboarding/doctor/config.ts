import { loadProject } from '../../project/load-project.ts';
import { toSetupProblem } from '../checks/config-problem.ts';
import { checkSkipped } from '../checks/setup-check.ts';
import { type DoctorCheck, getProjectDir, getProjectUse } from './context.ts';

/** `platform-config.yaml` and `.env` are valid for the tier of the executor. */
export const configCheck: DoctorCheck = {
  id: 'config',
  title: 'config of the project',
  async inspect(context) {
    const projectDir = getProjectDir(context);
    if (projectDir === undefined) return checkSkipped('not checked without --product-dir');
    const { config, problems, configFile } = await loadProject(projectDir, { use: getProjectUse(context) });
    return { facts: config ? [`${configFile} is valid`] : [], problems: problems.map(toSetupProblem) };
  },
};
