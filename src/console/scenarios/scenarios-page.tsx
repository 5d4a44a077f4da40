import { Link, useSearchParams } from 'wouter';
import type { ScenarioEntry } from '../../contract/api.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { scenarioPath } from '../paths.ts';
import { useCanEditInstance } from '../session/use-session.ts';
import { useInstance, useRememberInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { NoScenarios } from './no-scenarios.tsx';
import { matchesSearch, useCatalogue } from './use-catalogue.ts';

export default function ScenariosPage({ instance }: { instance: string }) {
  const { data, error, refetch } = useCatalogue(instance);
  const [search, setSearch] = useSearchParams();
  const searchText = search.get('find') ?? '';
  const canWrite = useCanEditInstance(useInstance(instance));
  useRememberInstance(instance);
  if (error && !data) return <ErrorNotice error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={8} label="Loading scenarios" />;
  const matches = data.filter((entry) => matchesSearch(entry, searchText));
  return (
    <>
      <title>{`Scenarios · ${instance} · vp`}</title>
      <div className="bar">
        <h1>Scenarios</h1>
        <input
          type="search"
          data-search
          aria-label="Find scenarios"
          placeholder="id, title or tag  /"
          value={searchText}
          onChange={({ target }) => setSearch(target.value === '' ? '' : { find: target.value }, { replace: true })}
        />
        <span className="faint">{formatCount(matches.length, 'scenario')}</span>
        <span className="grow" />
        {canWrite ? (
          <Link href={scenarioPath(instance, 'new')} className="button">
            New scenario
          </Link>
        ) : null}
      </div>
      {data.length === 0 ? <NoScenarios instance={instance} /> : null}
      {data.length > 0 && matches.length === 0 ? (
        <EmptyState title={`No scenario matches “${searchText}”`} />
      ) : (
        <ul className="rows">
          {matches.map((entry) => (
            <ScenarioRow key={entry.scenario_id} instance={instance} entry={entry} />
          ))}
        </ul>
      )}
    </>
  );
}

function ScenarioRow({ instance, entry }: { instance: string; entry: ScenarioEntry }) {
  return (
    <li>
      <Link href={scenarioPath(instance, entry.scenario_id)} className="scenario-row" data-row>
        <span className="run-name">{entry.scenario_id}</span>
        <span className="run-summary">{entry.title}</span>
        <span className="tags">{entry.tags.join(' ')}</span>
        <span className="faint">
          rev {entry.revision}, <RelativeTime timestamp={entry.updated_at} /> by {entry.updated_by}
        </span>
      </Link>
    </li>
  );
}
