import type { JudgedCheck } from '../verdict.ts';
import type { Change, Group } from './change.ts';

/** Codes that mean something else each. */
const telling = [200, 201, 204, 302, 400, 401, 403, 404, 409, 422, 500, 503];

/** Checks of the status, with other codes: the neighbours of the one that came, and those that mean something else. */
export function statusGroups(checks: readonly JudgedCheck[], status: number): readonly Group[] {
  const owners = checks.flatMap(({ check }, index) => (check.kind === 'status' ? [index] : []));
  if (owners.length === 0) return [];
  const codes = new Set([500, 404, status + 1, status - 1, ...telling]);
  const others = [...codes].filter((code) => code !== status && code >= 100 && code <= 599);
  return [{ owners, changes: others.map((code) => changeTo(code, status)), others: [] }];
}

function changeTo(code: number, before: number): Change {
  return {
    words: `status ${code} instead of ${before}`,
    touches: 'content',
    cost: 10,
    size: 0,
    apply: (observed) => ({ ...observed, status: code }),
  };
}
