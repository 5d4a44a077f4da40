import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ScenarioDocument } from '../../contract/api.ts';
import { Ago } from '../parts/ago.tsx';
import { DiffView } from '../parts/diff-view.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useConnection } from '../session/connection.ts';

type HistoryProps = { readonly instance: string; readonly scenario: string; readonly current: ScenarioDocument };

/** Who wrote what and when; a revision shows what it changed in the one before. */
export function History({ instance, scenario, current }: HistoryProps) {
  const { scenarios } = useConnection();
  const [chosen, setChosen] = useState(current.revision);
  const { data, error, refetch } = useQuery({
    queryKey: ['revisions', instance, scenario],
    queryFn: ({ signal }) => scenarios.revisions(instance, scenario, { signal }),
  });
  if (error && !data) return <Problem error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={3} />;
  return (
    <div className="history">
      <ul>
        {data.map(({ revision, updated_at: at, updated_by: by }) => (
          <li key={revision}>
            <button
              type="button"
              className="quiet"
              aria-pressed={revision === chosen}
              onClick={() => setChosen(revision)}
            >
              <b>{revision}</b> <Ago at={at} /> by {by}
            </button>
          </li>
        ))}
      </ul>
      <Change instance={instance} scenario={scenario} revision={chosen} />
    </div>
  );
}

function useRevision(instance: string, scenario: string, revision: number) {
  const { scenarios } = useConnection();
  return useQuery({
    queryKey: ['revision', instance, scenario, revision],
    enabled: revision > 0,
    queryFn: ({ signal }) => scenarios.get(instance, scenario, revision, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function Change({ instance, scenario, revision }: { instance: string; scenario: string; revision: number }) {
  const now = useRevision(instance, scenario, revision);
  const before = useRevision(instance, scenario, revision - 1);
  if (now.error) return <Problem error={now.error} retry={now.refetch} />;
  if (!now.data || (revision > 1 && before.isPending)) return <Skeleton rows={6} />;
  return (
    <DiffView label={`What revision ${revision} changed`} before={before.data?.text ?? ''} after={now.data.text} />
  );
}
