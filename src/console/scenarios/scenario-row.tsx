import { memo, useState } from 'react';
import { Link } from 'wouter';
import type { ScenarioEntry } from '../../contract/api.ts';
import type { Quarantine } from '../../contract/quarantines-api.ts';
import type { ScenarioResult } from '../../contract/scenario-results-api.ts';
import { SelectCell } from '../bulk/select-cells.tsx';
import type { RowSelection } from '../bulk/use-selection.ts';
import { RelativeTime } from '../components/relative-time.tsx';
import { StatusIcon } from '../components/status-icon.tsx';
import { runPath, scenarioPath } from '../paths.ts';
import { QuarantineMark } from '../quarantines/quarantine-mark.tsx';
import { formatFailedRuns } from '../text/format.ts';
import { getRunStatus, isDraftRun, runStatusLabels } from '../text/run-status.ts';
import { DeleteScenario, RenameScenario } from './scenario-dialogs.tsx';
import type { RequestedRow } from './use-requested-rows.ts';

type ScenarioRowProps = {
  readonly instance: string;
  readonly entry: ScenarioEntry;
  /** Undefined while results are loading. */
  readonly result: ScenarioResult | undefined;
  readonly quarantine: Quarantine | undefined;
  readonly hasDraft: boolean;
  readonly canRun: boolean;
  readonly canWrite: boolean;
  readonly isSelected: boolean;
  readonly onToggle: RowSelection['toggle'];
  /** Undefined before a run was requested. */
  readonly request: RequestedRow | undefined;
  readonly onRun: (id: string) => void;
};

/** A scenario with its last result and what can be done with it. */
export const ScenarioRow = memo(function ScenarioRow(props: ScenarioRowProps) {
  const { instance, entry, result, quarantine, hasDraft, canRun, canWrite, isSelected, onToggle, request, onRun } =
    props;
  const { scenario_id: id, title, tags, owner, revision, updated_at: updatedAt, updated_by: updatedBy } = entry;
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = (): void => setDialog(undefined);
  return (
    <tr className={isSelected ? 'is-selected' : undefined} data-select={canRun ? id : undefined}>
      {canRun ? <SelectCell id={id} label={id} isSelected={isSelected} onToggle={onToggle} /> : null}
      <th scope="row">
        <Link href={scenarioPath(instance, id)} className="scenario-link" data-row>
          <span className="run-name">{id}</span> <span className="run-summary">{title}</span>
        </Link>
        <QuarantineMark quarantine={quarantine} />
        {hasDraft ? <span className="badge">unsaved draft</span> : null}
      </th>
      <td className="scenario-result">{result ? <LastResult result={result} /> : null}</td>
      <td className="tags">
        {tags.join(' ')} {owner === undefined ? null : <span className="faint">· {owner}</span>}
      </td>
      <td className="scenario-changed faint">
        rev {revision}, <RelativeTime timestamp={updatedAt} /> by {updatedBy}
      </td>
      <td className="row-actions">
        {request?.kind === 'failed' ? <span role="alert">{request.message}</span> : null}
        {request?.kind === 'requested' ? <RequestedRun runId={request.runId} /> : null}
        {canRun ? (
          <button
            type="button"
            aria-label={`Run ${id}`}
            disabled={request?.kind === 'pending'}
            onClick={() => onRun(id)}
          >
            {request?.kind === 'pending' ? 'Requesting…' : 'Run'}
          </button>
        ) : null}
        {canWrite ? (
          <>
            <button type="button" aria-label={`Rename ${id}`} onClick={() => setDialog('rename')}>
              Rename
            </button>
            <button
              type="button"
              className="destructive"
              aria-label={`Delete ${id}`}
              onClick={() => setDialog('delete')}
            >
              Delete
            </button>
          </>
        ) : null}
        {dialog === 'rename' ? <RenameScenario instance={instance} entry={entry} onClose={close} /> : null}
        {dialog === 'delete' ? <DeleteScenario instance={instance} entry={entry} onClose={close} /> : null}
      </td>
    </tr>
  );
});

function RequestedRun({ runId }: { runId: string | undefined }) {
  if (runId === undefined) return null;
  return (
    <span role="status">
      <Link href={runPath(runId)}>requested</Link>
    </span>
  );
}

function LastResult({
  result: { last_run: run, failing_since: since, failed_runs: failedRuns },
}: {
  result: ScenarioResult;
}) {
  if (!run) return <span className="faint">never run</span>;
  const status = getRunStatus(run);
  return (
    <Link href={runPath(run.run_id)} className={`is-${status}`} title={run.failure_summary ?? undefined}>
      <StatusIcon status={status} decorative /> {runStatusLabels[status]}{' '}
      <span className="faint">
        <RelativeTime timestamp={run.requested_at} />
        {since !== null && failedRuns > 1 ? `, ${formatFailedRuns(failedRuns)} in a row` : ''}
      </span>
      {isDraftRun(run) ? <span className="badge">draft</span> : null}
    </Link>
  );
}
