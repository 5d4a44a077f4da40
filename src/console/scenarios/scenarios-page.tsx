import { Link, useSearchParams } from 'wouter';
import type { ScenarioEntry } from '../../contract/api.ts';
import { Ago } from '../parts/ago.tsx';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useMayChange } from '../session/use-session.ts';
import { useInstance, useRememberInstance } from '../shell/current-instance.ts';
import { scenarioPath } from '../shell/paths.ts';
import { countText } from '../words/moments.ts';
import { NoScenarios } from './no-scenarios.tsx';
import { isFoundBy, useCatalogue } from './use-catalogue.ts';

/** The catalogue of an instance. */
export default function ScenariosPage({ instance }: { instance: string }) {
  const { data, error, refetch } = useCatalogue(instance);
  const [search, setSearch] = useSearchParams();
  const words = search.get('find') ?? '';
  const mayWrite = useMayChange(useInstance(instance));
  useRememberInstance(instance);
  if (error && !data) return <Problem error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={8} label="Loading scenarios" />;
  const found = data.filter((entry) => isFoundBy(entry, words));
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
          value={words}
          onChange={({ target }) => setSearch(target.value === '' ? '' : { find: target.value }, { replace: true })}
        />
        <span className="faint">{countText(found.length, 'scenario')}</span>
        <span className="grow" />
        {mayWrite ? (
          <Link href={scenarioPath(instance, 'new')} className="button">
            New scenario
          </Link>
        ) : null}
      </div>
      {data.length === 0 ? <NoScenarios instance={instance} /> : null}
      {data.length > 0 && found.length === 0 ? (
        <Empty title={`Nothing has “${words}” in its id, title or tags`} />
      ) : (
        <ul className="rows">
          {found.map((entry) => (
            <Row key={entry.scenario_id} instance={instance} entry={entry} />
          ))}
        </ul>
      )}
    </>
  );
}

function Row({ instance, entry }: { instance: string; entry: ScenarioEntry }) {
  return (
    <li>
      <Link href={scenarioPath(instance, entry.scenario_id)} className="scenario-row" data-row>
        <span className="run-name">{entry.scenario_id}</span>
        <span className="run-told">{entry.title}</span>
        <span className="tags">{entry.tags.join(' ')}</span>
        <span className="faint">
          rev {entry.revision}, <Ago at={entry.updated_at} /> by {entry.updated_by}
        </span>
      </Link>
    </li>
  );
}
