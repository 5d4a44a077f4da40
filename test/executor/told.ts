import { errorTable } from '../../src/errors/table.ts';
import type { Fault } from '../../src/run/evidence.ts';

/** The code whose words a fault has: a cure is fixed, and no two are alike. */
export function codeOfFault(fault: Pick<Fault, 'cure'> | undefined | null): string | undefined {
  const found = Object.entries(errorTable).filter(([, { cure }]) => cure === fault?.cure);
  return found.length === 1 ? found[0]?.[0] : undefined;
}
