import { checkSkipped, toProblem } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** The database of a control plane on this machine can be used as its store. */
export const databaseCheck: DoctorCheck = {
  id: 'store_database',
  title: 'database of the control plane',
  async inspect({ inspectDatabase }) {
    const inspection = await inspectDatabase();
    if (inspection === undefined)
      return checkSkipped('not checked: name it with --database-file or VP_DATABASE where the store is on PostgreSQL');
    return { facts: inspection.facts, problems: inspection.problems.map(toProblem) };
  },
};
