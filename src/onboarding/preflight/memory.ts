import { checkPassed, checkSkipped, createProblem, type SetupCheck } from '../checks/setup-check.ts';
import type { PreflightContext } from './context.ts';
import { formatDiskSize } from './disk.ts';

/** For executor, log reader, router, dashboard and Prometheus together under load. */
const requiredBytes = 768 * 1024 * 1024;

/** Only a warning: the containers start with less. */
export const memoryCheck: SetupCheck<Pick<PreflightContext, 'readAvailableMemory'>> = {
  id: 'memory',
  title: 'memory',
  async inspect({ readAvailableMemory }) {
    const available = await readAvailableMemory();
    if (available === undefined) return checkSkipped('not checked: unknown on this platform');
    if (available >= requiredBytes) return checkPassed(`${formatDiskSize(available)} available`);
    const values = { available: formatDiskSize(available), needed: formatDiskSize(requiredBytes) };
    return { facts: [], problems: [createProblem('MEMORY_SHORT', values)] };
  },
};
