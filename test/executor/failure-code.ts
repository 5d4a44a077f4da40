import { errorTable } from '../../src/errors/table.ts';
import type { ExecutionFailure } from '../../src/run/evidence.ts';

/** The error code with the fix of `failure`: the fixes of executor errors are distinct, whatever their values. */
export function findFailureCode(failure: Pick<ExecutionFailure, 'cure'> | undefined | null): string | undefined {
  const matches = Object.entries(errorTable).filter(
    ([code, { cure }]) => code.startsWith('EXECUTOR_') && matchesTemplate(failure?.cure ?? '', cure),
  );
  return matches.length === 1 ? matches[0]?.[0] : undefined;
}

/** True when `text` is `template` with a value, which may be empty, in place of each `{{name}}`. */
function matchesTemplate(text: string, template: string): boolean {
  const parts = template.split(/\{\{\w+\}\}/).map((part) => part.replaceAll(/[^\w\s]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
