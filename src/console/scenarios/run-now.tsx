import { useLocation } from 'wouter';
import { Problem } from '../parts/problem.tsx';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { runPath } from '../shell/paths.ts';

/** Runs the scenario as the catalogue has it, and goes to the run. */
export function RunNow({ instance, id }: { instance: string; id: string }) {
  const request = useRequestRuns(instance);
  const [, go] = useLocation();
  const run = (): void =>
    request.mutate({ scenarios: [{ id }] }, { onSuccess: ([first]) => first && go(runPath(first.run_id)) });
  return (
    <div className="actions">
      <button type="button" className="strong" disabled={request.isPending} onClick={run}>
        Run
      </button>
      {request.error ? <Problem error={request.error} /> : null}
    </div>
  );
}
