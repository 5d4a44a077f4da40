import { useQuery } from '@tanstack/react-query';
import type { ScenarioDocument } from '../../contract/api.ts';
import { DiffView } from '../components/diff-view.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useClient } from '../session/client.ts';

type SaveConflictProps = {
  readonly instance: string;
  readonly id: string;
  readonly ownText: string;
  readonly onOverwrite: (revision: number) => void;
  readonly onTakeSaved: (savedScenario: ScenarioDocument) => void;
};

/** Another text was saved in the meantime: shows the difference and lets the user choose. */
export function SaveConflict({ instance, id, ownText, onOverwrite, onTakeSaved }: SaveConflictProps) {
  const { scenarios } = useClient();
  const { data: savedScenario, error } = useQuery({
    queryKey: ['scenario-now', instance, id],
    queryFn: ({ signal }) => scenarios.get(instance, id, undefined, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (error) return <ErrorNotice error={error} />;
  if (!savedScenario) return null;
  return (
    <section className="conflict" role="alert">
      <p>
        <strong>
          {savedScenario.updated_by} has saved revision {savedScenario.revision} in the meantime.
        </strong>{' '}
        Saving your text would make these changes to it:
      </p>
      <DiffView label="Their text and yours" before={savedScenario.text} after={ownText} />
      <div className="actions">
        <button type="button" onClick={() => onTakeSaved(savedScenario)}>
          Use theirs and discard mine
        </button>
        <button type="button" onClick={() => onOverwrite(savedScenario.revision)}>
          Overwrite with mine
        </button>
      </div>
    </section>
  );
}
