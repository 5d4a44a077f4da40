import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { ScenarioDocument } from '../../contract/api.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { type Tab, Tabs } from '../components/tabs.tsx';
import { useDraftStorage } from '../drafts/draft-storage.ts';
import { lazyComponent } from '../lazy-component.ts';
import { runPath, runsPath, scenarioPath, scenariosPath } from '../paths.ts';
import { QuarantineButton, QuarantineNote } from '../quarantines/quarantine-actions.tsx';
import { useQuarantines } from '../quarantines/use-quarantines.ts';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { useClient } from '../session/client.ts';
import { useCanEditInstance, useHasRole } from '../session/use-session.ts';
import { useInstance, useRememberInstance } from '../shell/current-instance.ts';
import { isScenarioMissing, MissingScenario } from './missing-scenario.tsx';
import { RevisionHistory } from './revision-history.tsx';
import { DeleteScenario, RenameScenario } from './scenario-dialogs.tsx';
import { ScenarioView } from './scenario-view.tsx';

const ScenarioEditor = lazyComponent(
  () => import('./scenario-editor.tsx'),
  <Skeleton rows={12} label="Loading the editor" />,
);

const tabs = ['read', 'edit', 'history'] as const;
type TabName = (typeof tabs)[number];
const labels: Readonly<Record<TabName, string>> = { read: 'Read', edit: 'Source', history: 'History' };

/** A scenario with its editor and its history. The ID `new` opens the editor for a new scenario. */
export default function ScenarioPage({ instance, scenario }: { instance: string; scenario: string }) {
  const { scenarios } = useClient();
  useRememberInstance(instance);
  const isNew = scenario === 'new';
  const { data, error, refetch } = useQuery({
    queryKey: ['scenario', instance, scenario],
    enabled: !isNew,
    queryFn: ({ signal }) => scenarios.get(instance, scenario, undefined, { signal }),
  });
  if (isNew) {
    return (
      <>
        <title>New scenario · vp</title>
        <h1>New scenario</h1>
        <ScenarioEditor instance={instance} id={undefined} text={scenarioTemplate} revision={0} />
      </>
    );
  }
  if (isScenarioMissing(error)) return <MissingScenario instance={instance} scenario={scenario} error={error} />;
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={10} label="Loading the scenario" />;
  return <ScenarioTabs instance={instance} entry={data} />;
}

function ScenarioTabs({ instance, entry }: { instance: string; entry: ScenarioDocument }) {
  const [search, setSearch] = useSearchParams();
  const tab = tabs.find((name) => name === search.get('tab')) ?? 'read';
  const selectTab = (name: TabName): void => setSearch(name === 'read' ? '' : { tab: name }, { replace: true });
  const { scenario_id: id } = entry;
  const canRun = useHasRole('member');
  const canWrite = useCanEditInstance(useInstance(instance));
  const quarantine = useQuarantines(instance).data?.get(id);
  const hasDraft = useDraftStorage('scenario', instance, id).read() !== undefined;
  return (
    <>
      <title>{`${id} · vp`}</title>
      <nav className="breadcrumb" aria-label="Breadcrumb">
        <Link href={scenariosPath(instance)}>Scenarios</Link>
        <span className="faint">/</span>
        <Link href={`${runsPath(instance)}?scenario=${encodeURIComponent(id)}`}>Runs</Link>
      </nav>
      <div className="run-head">
        <section className="verdict" aria-label="Scenario">
          <h1>{id}</h1>
          <p className="facts">
            <span>{entry.title}</span>
            <span>revision {entry.revision}</span>
            <span>
              <RelativeTime timestamp={entry.updated_at} /> by {entry.updated_by}
            </span>
          </p>
        </section>
        <div className="actions">
          {canWrite && !quarantine ? <QuarantineButton instance={instance} scenario={id} /> : null}
          {canWrite ? <ScenarioActions instance={instance} entry={entry} /> : null}
          {canRun ? <RunScenarioButton instance={instance} id={id} /> : null}
        </div>
      </div>
      {quarantine ? <QuarantineNote instance={instance} quarantine={quarantine} canWrite={canWrite} /> : null}
      <Tabs
        label="Scenario"
        tabs={tabs.map(
          (name): Tab<TabName> => ({
            name,
            label: labels[name],
            badge: name === 'edit' && hasDraft ? 'unsaved' : undefined,
          }),
        )}
        selected={tab}
        onSelect={selectTab}
      >
        {tab === 'read' ? <ScenarioView text={entry.text} /> : null}
        {tab === 'edit' ? (
          <ScenarioEditor instance={instance} id={id} text={entry.text} revision={entry.revision} />
        ) : null}
        {tab === 'history' ? (
          <RevisionHistory
            key={entry.revision}
            instance={instance}
            scenario={id}
            newestRevision={entry.revision}
            canWrite={canWrite}
          />
        ) : null}
      </Tabs>
    </>
  );
}

function ScenarioActions({ instance, entry }: { instance: string; entry: ScenarioDocument }) {
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const [, navigate] = useLocation();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <button type="button" onClick={() => setDialog('rename')}>
        Rename
      </button>
      <button type="button" className="destructive" onClick={() => setDialog('delete')}>
        Delete
      </button>
      {dialog === 'rename' ? (
        <RenameScenario
          instance={instance}
          entry={entry}
          onClose={close}
          onRenamed={(newId) => navigate(scenarioPath(instance, newId), { replace: true })}
        />
      ) : null}
      {dialog === 'delete' ? (
        <DeleteScenario
          instance={instance}
          entry={entry}
          onClose={close}
          onDeleted={() => navigate(scenariosPath(instance))}
        />
      ) : null}
    </>
  );
}

/** Runs the saved revision and opens the run. */
function RunScenarioButton({ instance, id }: { instance: string; id: string }) {
  const request = useRequestRuns(instance);
  const [, navigate] = useLocation();
  const requestRun = (): void =>
    request.mutate(
      { scenarios: [{ id }] },
      { onSuccess: ([firstRun]) => firstRun && navigate(runPath(firstRun.run_id)) },
    );
  return (
    <>
      <button type="button" className="strong" disabled={request.isPending} onClick={requestRun}>
        Run
      </button>
      {request.error ? <ErrorNotice error={request.error} /> : null}
    </>
  );
}

/** The initial text of a new scenario. */
export const scenarioTemplate = `# Scenario: GET document

## Metadata

- ID: RT-GET-document
- Layer: HTTP Ingestion
- Tags: smoke

## TRIGGER

GET \${INGESTION_URL}/api/v2/document
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=200
- body has data
`;
