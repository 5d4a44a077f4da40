import { type Check, fine, problem } from './check.ts';
import type { PreflightContext } from './context.ts';
import { sizeText } from './disk.ts';

/** What executor, log reader, router, dashboard and Prometheus take together when they are busy. */
const needBytes = 768 * 1024 * 1024;

/** A warning only: they start with less. */
export const memoryCheck: Check<Pick<PreflightContext, 'availableMemory'>> = {
  id: 'memory',
  title: 'memory',
  async look({ availableMemory }) {
    const available = await availableMemory();
    if (available === undefined) return fine('cannot be told here');
    if (available >= needBytes) return fine(`${sizeText(available)} to be had`);
    const values = { available: sizeText(available), needed: sizeText(needBytes) };
    return { facts: [], problems: [problem('MEMORY_SHORT', values)] };
  },
};
