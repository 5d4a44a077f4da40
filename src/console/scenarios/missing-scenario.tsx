import { Link, useLocation } from 'wouter';
import { VpError } from '../../errors/vp-error.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useDraftStorage } from '../drafts/draft-storage.ts';
import { scenarioPath, scenariosPath } from '../paths.ts';
import { useCanEditInstance } from '../session/use-session.ts';
import { useInstance } from '../shell/current-instance.ts';
import { RevisionHistory } from './revision-history.tsx';
import { useDeletedScenarios } from './use-scenario-changes.ts';

type MissingScenarioProps = { readonly instance: string; readonly scenario: string; readonly error: Error };

/** True if the catalogue does not have the scenario, or no longer. */
export function isScenarioMissing(error: unknown): error is VpError {
  return error instanceof VpError && (error.code === 'SCENARIO_UNKNOWN' || error.code === 'SCENARIO_DELETED');
}

/** A scenario that cannot be read: deleted ones show their history. Typed text is offered for a new scenario. */
export function MissingScenario({ instance, scenario, error }: MissingScenarioProps) {
  const canWrite = useCanEditInstance(useInstance(instance));
  const deleted = useDeletedScenarios(instance).data?.find((entry) => entry.scenario_id === scenario);
  return (
    <>
      <title>{`${scenario} · vp`}</title>
      <nav className="breadcrumb" aria-label="Breadcrumb">
        <Link href={scenariosPath(instance)}>Scenarios</Link>
      </nav>
      <h1>{scenario}</h1>
      {deleted ? <p>This scenario was deleted. Select a revision to restore it.</p> : null}
      {deleted ? null : <ErrorNotice error={error} />}
      <OrphanedDraft instance={instance} scenario={scenario} />
      {deleted ? (
        <RevisionHistory
          instance={instance}
          scenario={scenario}
          newestRevision={deleted.revision}
          isDeleted
          canWrite={canWrite}
        />
      ) : null}
    </>
  );
}

/** Unsaved changes of a scenario that is not there any more. */
function OrphanedDraft({ instance, scenario }: { instance: string; scenario: string }) {
  const storage = useDraftStorage('scenario', instance, scenario);
  const newStorage = useDraftStorage('scenario', instance, '');
  const [, navigate] = useLocation();
  const draft = storage.read();
  if (!draft) return null;
  const use = (): void => {
    if (!newStorage.write(draft.text, 0)) return;
    storage.remove();
    navigate(scenarioPath(instance, 'new'));
  };
  return (
    <section aria-label="Your unsaved changes" className="conflict">
      <p>You have unsaved changes of this scenario:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre className="code" tabIndex={0}>
        {draft.text}
      </pre>
      <p className="actions">
        <button type="button" disabled={newStorage.read() !== undefined} onClick={use}>
          Use them for a new scenario
        </button>
        {newStorage.read() ? <span className="faint">Save or discard your other new scenario first.</span> : null}
      </p>
    </section>
  );
}
