import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { BulkBar } from '../../bulk/bulk-bar.tsx';
import { useBulkTask } from '../../bulk/use-bulk-task.ts';
import { useSelection } from '../../bulk/use-selection.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { StatusIcon } from '../../components/status-icon.tsx';
import { runPath } from '../../paths.ts';
import { useClient } from '../../session/client.ts';
import { useHasRole } from '../../session/use-session.ts';
import { useInstance } from '../../shell/current-instance.ts';
import { formatCount } from '../../text/format.ts';
import type { RunsPageFilter } from '../run-filter.ts';
import { joinRunPages } from '../run-pages.ts';
import { RunBulkActions } from './run-bulk-actions.tsx';
import { RunningTime } from './run-row.tsx';
import { RunTable } from './run-table.tsx';
import { useRuns } from './use-runs.ts';

/** The running run, and the queue folded into one line. It is always as high, so that the list below does not move. */
export function QueueStrip({ filter: { instance, scenario, result } }: { filter: RunsPageFilter }) {
  const running = joinRunPages(
    useRuns(useMemo(() => ({ instance, scenario, result: 'running' }), [instance, scenario])).data,
  );
  return (
    <section className="queue-strip" aria-label="Running and queued">
      <p className="running">
        {running.length === 0 ? <span className="faint">Nothing is running.</span> : null}
        {running.map((run) => (
          <span key={run.run_id} className="is-running" data-run={run.run_id}>
            <StatusIcon status="running" />{' '}
            <Link href={runPath(run.run_id)} className="run-name" data-row>
              {run.scenario_id}
            </Link>{' '}
            <RunningTime run={run} /> <span className="faint">by {run.requested_by}</span>
          </span>
        ))}
      </p>
      <Queue instance={instance} scenario={scenario} isListedBelow={result === 'queued'} />
    </section>
  );
}

type QueueProps = { readonly instance: string; readonly scenario: string | undefined };

/** `isListedBelow`: the list of the page has the same runs, to be selected there. */
function Queue({ instance, scenario, isListedBelow }: QueueProps & { readonly isListedBelow: boolean }) {
  const { data, hasNextPage } = useRuns(
    useMemo(() => ({ instance, scenario, result: 'queued' }), [instance, scenario]),
  );
  const record = useInstance(instance);
  const queued = useMemo(() => joinRunPages(data), [data]);
  const total = hasNextPage && scenario === undefined ? Math.max(record?.queued ?? 0, queued.length) : queued.length;
  const [isOpen, setIsOpen] = useState(false);
  const canSelect = useHasRole('member') && isOpen && !isListedBelow;
  const ids = useMemo(() => (canSelect ? queued.map(({ run_id: id }) => id) : []), [canSelect, queued]);
  const selection = useSelection(ids, canSelect);
  const bulk = useBulkTask();
  const count = `${formatCount(total, 'queued run')}${hasNextPage && scenario !== undefined ? ' or more' : ''}`;
  return (
    <>
      {queued.length === 0 ? (
        <p className="faint">The queue is empty.</p>
      ) : (
        <div className="actions">
          <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {count}
          </button>
          {record && record.executor_status !== 'REGISTERED' ? (
            <Link href="/settings/environments">waiting for the executor</Link>
          ) : null}
          <CancelQueue instance={instance} scenario={scenario} count={count} />
        </div>
      )}
      {isOpen && queued.length > 0 ? (
        <div className="queued-runs">
          <RunTable runs={queued} label="Queued runs" selection={canSelect ? selection : undefined} />
          {hasNextPage ? <p className="faint">Only the last {queued.length} requested runs are listed.</p> : null}
        </div>
      ) : null}
      {isOpen || bulk.state.kind !== 'idle' ? (
        <BulkBar noun="run" selection={selection} bulk={bulk}>
          <RunBulkActions
            instance={instance}
            runs={queued.filter(({ run_id: id }) => selection.ids.has(id))}
            selection={selection}
            bulk={bulk}
          />
        </BulkBar>
      ) : null}
    </>
  );
}

function CancelQueue({ instance, scenario, count }: QueueProps & { readonly count: string }) {
  const { runs } = useClient();
  const queries = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const close = (): void => setIsConfirming(false);
  const cancel = useMutation({
    mutationFn: () => runs.cancelQueued(instance, scenario),
    onSettled: () => {
      close();
      void queries.invalidateQueries({ queryKey: ['runs'] });
    },
  });
  if (!useHasRole('member')) return null;
  return (
    <>
      <button type="button" className="destructive" onClick={() => setIsConfirming(true)}>
        Cancel all…
      </button>
      {cancel.error ? <ErrorNotice error={cancel.error} /> : null}
      {isConfirming ? (
        <ConfirmDialog
          title={`Cancel ${count}`}
          consequence={`The queued runs of ${scenario ?? instance} will not run. The running one goes on. To verify them later, request them again.`}
          confirmationText={instance}
          confirmLabel="Cancel queued runs"
          isPending={cancel.isPending}
          onConfirm={() => cancel.mutate()}
          onClose={close}
        />
      ) : null}
    </>
  );
}
