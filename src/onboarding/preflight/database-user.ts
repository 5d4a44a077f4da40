import { loadProject } from '../../project/load-project.ts';
import { checkSkipped, type SetupCheck } from '../checks/setup-check.ts';
import type { PreflightContext } from './context.ts';

/** Needs the product folder. `vp doctor` later reports the user's real permissions, which the executor reads from the database. */
export const databaseUserCheck: SetupCheck<Pick<PreflightContext, 'productDir'>> = {
  id: 'database_user',
  title: 'database user',
  async inspect({ productDir }) {
    if (productDir === undefined) return checkSkipped('not checked without --product-dir');
    const { config, problems } = await loadProject(productDir);
    if (config === undefined) return checkSkipped('not checked: the config cannot be used');
    const { database } = config.targets;
    if (!database) return checkSkipped('not checked: the config names no database');
    const ownerProblems = problems.filter(({ code }) => code === 'CONFIG_DATABASE_OWNER');
    return {
      facts: [database.username],
      problems: ownerProblems.map(({ code, severity, message, cure }) => ({ code, severity, message, cure })),
    };
  },
};
