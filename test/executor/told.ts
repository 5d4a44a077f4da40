import { errorTable } from '../../src/errors/table.ts';
import type { Fault } from '../../src/run/evidence.ts';

/** The code whose words a fault has: no two cures of the executor are alike, whatever fills them. */
export function codeOfFault(fault: Pick<Fault, 'cure'> | undefined | null): string | undefined {
  const found = Object.entries(errorTable).filter(
    ([code, { cure }]) => code.startsWith('EXECUTOR_') && fits(fault?.cure ?? '', cure),
  );
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** True when `text` is `template` with something in place of each `{{name}}`. */
function fits(text: string, template: string): boolean {
  const parts = template.split(/\{\{\w+\}\}/).map((part) => part.replaceAll(/[^\w\s]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`).test(text);
}
