import type { BulkLink } from '../bulk/bulk-task.ts';
import { runPath, suitePath } from '../paths.ts';
import { describeError } from '../text/error-description.ts';
import { useRequestRuns } from './use-request-runs.ts';

/** Of the API, for one request. */
const maxScenarios = 1000;

export type RequestedScenarios = {
  readonly ids: ReadonlySet<string>;
  /** Why the others were not requested. */
  readonly problem: string | undefined;
  /** Where their runs are. */
  readonly link: BulkLink | undefined;
};

/** Requests scenarios of the catalogue, as many in one request as it may have. Does not throw. */
export function useRunScenarios(instance: string): (ids: readonly string[]) => Promise<RequestedScenarios> {
  const { mutateAsync } = useRequestRuns(instance);
  return async (ids) => {
    const requested = new Set<string>();
    let link: BulkLink | undefined;
    for (let start = 0; start < ids.length; start += maxScenarios) {
      const part = ids.slice(start, start + maxScenarios);
      try {
        const [first] = await mutateAsync({ scenarios: part.map((id) => ({ id })) });
        for (const id of part) requested.add(id);
        if (first)
          link =
            first.suite === undefined
              ? { href: runPath(first.run_id), text: 'Show the run' }
              : { href: suitePath(instance, first.suite), text: 'Show the suite' };
      } catch (error) {
        return { ids: requested, problem: describeError(error).message, link };
      }
    }
    return { ids: requested, problem: undefined, link };
  };
}
