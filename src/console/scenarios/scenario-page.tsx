import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { ScenarioDocument } from '../../contract/api.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { type Tab, Tabs } from '../components/tabs.tsx';
import { runPath, runsPath, scenariosPath } from '../paths.ts';
import { useRequestRuns } from '../runs/use-request-runs.ts';
import { useClient } from '../session/client.ts';
import { useHasRole } from '../session/use-session.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { RevisionHistory } from './revision-history.tsx';
import { ScenarioEditor } from './scenario-editor.tsx';
import { scenarioTemplate } from './scenario-template.ts';
import { ScenarioView } from './scenario-view.tsx';

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
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={10} label="Loading the scenario" />;
  return <ScenarioTabs instance={instance} entry={data} />;
}

function ScenarioTabs({ instance, entry }: { instance: string; entry: ScenarioDocument }) {
  const [search, setSearch] = useSearchParams();
  const tab = tabs.find((name) => name === search.get('tab')) ?? 'read';
  const selectTab = (name: TabName): void => setSearch(name === 'read' ? '' : { tab: name }, { replace: true });
  const { scenario_id: id } = entry;
  const canWrite = useHasRole('member');
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
        {canWrite ? <RunScenarioButton instance={instance} id={id} /> : null}
      </div>
      <Tabs
        label="Scenario"
        tabs={tabs.map((name): Tab<TabName> => ({ name, label: labels[name] }))}
        selected={tab}
        onSelect={selectTab}
      >
        {tab === 'read' ? <ScenarioView text={entry.text} /> : null}
        {tab === 'edit' ? (
          <ScenarioEditor instance={instance} id={id} text={entry.text} revision={entry.revision} />
        ) : null}
        {tab === 'history' ? <RevisionHistory instance={instance} scenario={id} current={entry} /> : null}
      </Tabs>
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
    <div className="actions">
      <button type="button" className="strong" disabled={request.isPending} onClick={requestRun}>
        Run
      </button>
      {request.error ? <ErrorNotice error={request.error} /> : null}
    </div>
  );
}
