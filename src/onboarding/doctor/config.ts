import { loadProject } from '../../project/load-project.ts';
import { toSetupProblem } from '../checks/config-problem.ts';
import { checkSkipped } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** `platform-config.yaml` and `.env` are valid for this tier. */
export const configCheck: DoctorCheck = {
  id: 'config',
  title: 'config of the project',
  async inspect({ productDir }) {
    if (productDir === undefined) return checkSkipped('not checked without --product-dir');
    const { config, problems, configFile } = await loadProject(productDir, { use: 'compose' });
    return { facts: config ? [`${configFile} is valid`] : [], problems: problems.map(toSetupProblem) };
  },
};
