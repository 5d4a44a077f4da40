import { useQuery } from '@tanstack/react-query';
import type { ScenarioDocument } from '../../contract/api.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';

type ConflictProps = {
  readonly instance: string;
  readonly id: string;
  readonly mine: string;
  readonly onOverwrite: (revision: number) => void;
  readonly onTheirs: (theirs: ScenarioDocument) => void;
};

/** Somebody saved another text meanwhile: shows the difference, and lets the writer choose. */
export function Conflict({ instance, id, mine, onOverwrite, onTheirs }: ConflictProps) {
  const { scenarios } = useConnection();
  const { data: theirs, error } = useQuery({
    queryKey: ['scenario-now', instance, id],
    queryFn: ({ signal }) => scenarios.get(instance, id, undefined, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (error) return <Problem error={error} />;
  if (!theirs) return null;
  return (
    <section className="conflict" role="alert">
      <p>
        <strong>
          {theirs.updated_by} has saved revision {theirs.revision} meanwhile.
        </strong>{' '}
        This is what saving yours would change in it:
      </p>
      <DiffView label="Their text and yours" before={theirs.text} after={mine} />
      <div className="actions">
        <button type="button" onClick={() => onTheirs(theirs)}>
          Take theirs, drop mine
        </button>
        <button type="button" onClick={() => onOverwrite(theirs.revision)}>
          Save mine over it
        </button>
      </div>
    </section>
  );
}
