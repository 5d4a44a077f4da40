import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ScenarioDocument } from '../../contract/api.ts';
import { DiffView } from '../components/diff-view.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useClient } from '../session/client.ts';

type RevisionHistoryProps = {
  readonly instance: string;
  readonly scenario: string;
  readonly current: ScenarioDocument;
};

/** All revisions, and what the selected one changed compared to the one before. */
export function RevisionHistory({ instance, scenario, current }: RevisionHistoryProps) {
  const { scenarios } = useClient();
  const [selectedRevision, setSelectedRevision] = useState(current.revision);
  const { data, error, refetch } = useQuery({
    queryKey: ['revisions', instance, scenario],
    queryFn: ({ signal }) => scenarios.listRevisions(instance, scenario, { signal }),
  });
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={3} />;
  return (
    <div className="history">
      <ul>
        {data.map(({ revision, updated_at: updatedAt, updated_by: updatedBy }) => (
          <li key={revision}>
            <button
              type="button"
              className="quiet"
              aria-pressed={revision === selectedRevision}
              onClick={() => setSelectedRevision(revision)}
            >
              <b>{revision}</b> <RelativeTime timestamp={updatedAt} /> by {updatedBy}
            </button>
          </li>
        ))}
      </ul>
      <RevisionChange instance={instance} scenario={scenario} revision={selectedRevision} />
    </div>
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
