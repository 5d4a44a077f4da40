import type { Suite } from '../../contract/suites-api.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useHasRole } from '../session/use-session.ts';
import { useCancelSuite, useRerunSuite } from './use-suites.ts';

type SuiteActionsProps = { readonly instance: string; readonly suite: Suite };

/** Run again, cancel, and one file of all runs. */
export function SuiteActions({ instance, suite }: SuiteActionsProps) {
  const { suite_id: id, counts } = suite;
  const rerun = useRerunSuite(instance, id);
  const cancellation = useCancelSuite(instance, id);
  const canRun = useHasRole('member');
  const notPassed = counts.failed + counts.broken + counts.cancelled;
  const open = counts.running + counts.queued;
  const error = rerun.error ?? cancellation.error;
  const reportPath = `/api/v1/instances/${encodeURIComponent(instance)}/suites/${id}/report`;
  return (
    <div className="actions">
      {canRun && notPassed > 0 ? (
        <button type="button" className="strong" disabled={rerun.isPending} onClick={() => rerun.mutate({})}>
          Run again what did not pass ({notPassed.toLocaleString('en')})
        </button>
      ) : null}
      {canRun && open === 0 ? (
        <button type="button" disabled={rerun.isPending} onClick={() => rerun.mutate({ only: 'all' })}>
          Run all again
        </button>
      ) : null}
      {canRun && open > 0 ? (
        <button type="button" disabled={cancellation.isPending} onClick={() => cancellation.mutate()}>
          Cancel what has not ended ({open.toLocaleString('en')})
        </button>
      ) : null}
      <a href={reportPath} download={`${id}.xml`}>
        JUnit file
      </a>
      <a href={`${reportPath}?format=html`} download={`${id}.html`}>
        HTML file
      </a>
      <CopyButton label="Copy address" text={location.href} />
      {error ? <ErrorNotice error={error} /> : null}
    </div>
  );
}
