import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DiffView } from '../components/diff-view.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useClient } from '../session/client.ts';
import { useRestoreScenario } from './use-scenario-changes.ts';

type RevisionHistoryProps = {
  readonly instance: string;
  readonly scenario: string;
  readonly newestRevision: number;
  readonly isDeleted?: boolean;
  readonly canWrite: boolean;
};

/** All revisions, and what the selected one changed compared to the one before. */
export function RevisionHistory(props: RevisionHistoryProps) {
  const { instance, scenario, newestRevision, isDeleted = false, canWrite } = props;
  const { scenarios } = useClient();
  const [selectedRevision, setSelectedRevision] = useState(newestRevision);
  const { data, error, refetch } = useQuery({
    queryKey: ['revisions', instance, scenario],
    queryFn: ({ signal }) => scenarios.listRevisions(instance, scenario, { signal }),
  });
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={3} />;
  return (
    <div className="history">
      <ul>
        {data.map(({ revision, updated_at: updatedAt, updated_by: updatedBy, restored_from: restoredFrom }) => (
          <li key={revision}>
            <button
              type="button"
              className="quiet"
              aria-pressed={revision === selectedRevision}
              onClick={() => setSelectedRevision(revision)}
            >
              <b>Revision {revision}</b> <RelativeTime timestamp={updatedAt} /> by {updatedBy}
              {restoredFrom === undefined ? '' : `, restored from revision ${restoredFrom}`}
            </button>
          </li>
        ))}
      </ul>
      <div className="history-change">
        {canWrite && (isDeleted || selectedRevision !== newestRevision) ? (
          <RestoreRevision
            instance={instance}
            scenario={scenario}
            revision={selectedRevision}
            onRestored={setSelectedRevision}
          />
        ) : null}
        <RevisionChange instance={instance} scenario={scenario} revision={selectedRevision} />
      </div>
    </div>
  );
}

type RestoreRevisionProps = {
  readonly instance: string;
  readonly scenario: string;
  readonly revision: number;
  readonly onRestored: (newRevision: number) => void;
};

/** The text becomes a new revision, so that nothing of the history is lost. */
function RestoreRevision({ instance, scenario, revision, onRestored }: RestoreRevisionProps) {
  const restore = useRestoreScenario(instance);
  return (
    <p className="actions">
      <button
        type="button"
        disabled={restore.isPending}
        onClick={() =>
          restore.mutate({ id: scenario, revision }, { onSuccess: (document) => onRestored(document.revision) })
        }
      >
        {restore.isPending ? 'Restoring…' : `Restore revision ${revision}`}
      </button>
      {restore.error ? <ErrorNotice error={restore.error} /> : null}
    </p>
  );
}

function useRevision(instance: string, scenario: string, revision: number) {
  const { scenarios } = useClient();
  return useQuery({
    queryKey: ['revision', instance, scenario, revision],
    enabled: revision > 0,
    queryFn: ({ signal }) => scenarios.get(instance, scenario, revision, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function RevisionChange({ instance, scenario, revision }: { instance: string; scenario: string; revision: number }) {
  const revised = useRevision(instance, scenario, revision);
  const previous = useRevision(instance, scenario, revision - 1);
  if (revised.error) return <ErrorNotice error={revised.error} retry={revised.refetch} />;
  if (!revised.data || (revision > 1 && previous.isPending)) return <Skeleton rows={6} />;
  return (
    <DiffView label={`Changes in revision ${revision}`} before={previous.data?.text ?? ''} after={revised.data.text} />
  );
}
