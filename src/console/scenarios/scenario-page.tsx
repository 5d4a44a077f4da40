import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import type { ScenarioDocument } from '../../contract/api.ts';
import { Ago } from '../parts/ago.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { useConnection } from '../session/connection.ts';
import { useMay } from '../session/use-session.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { runsPath, scenariosPath } from '../shell/paths.ts';
import { Editor } from './editor.tsx';
import { History } from './history.tsx';
import { Rendered } from './rendered.tsx';
import { RunNow } from './run-now.tsx';
import { template } from './template.ts';

const tabs = ['read', 'edit', 'history'] as const;
type TabName = (typeof tabs)[number];
const labels: Readonly<Record<TabName, string>> = { read: 'Read', edit: 'Source', history: 'History' };

/** One scenario: read, written, and how it came to be. `new` begins one. */
export default function ScenarioPage({ instance, scenario }: { instance: string; scenario: string }) {
  const { scenarios } = useConnection();
  useRememberInstance(instance);
  const fresh = scenario === 'new';
  const { data, error, refetch } = useQuery({
    queryKey: ['scenario', instance, scenario],
    enabled: !fresh,
    queryFn: ({ signal }) => scenarios.get(instance, scenario, undefined, { signal }),
  });
  if (fresh) {
    return (
      <>
        <title>New scenario · vp</title>
        <h1>New scenario</h1>
        <Editor instance={instance} id={undefined} text={template} revision={0} />
      </>
    );
  }
  if (error && !data) return <Problem error={error} retry={refetch} />;
  if (!data) return <Skeleton rows={10} label="Loading the scenario" />;
  return <Shown instance={instance} entry={data} />;
}

function Shown({ instance, entry }: { instance: string; entry: ScenarioDocument }) {
  const [search, setSearch] = useSearchParams();
  const tab = tabs.find((name) => name === search.get('tab')) ?? 'read';
  const choose = (name: TabName): void => setSearch(name === 'read' ? '' : { tab: name }, { replace: true });
  const { scenario_id: id } = entry;
  const mayWrite = useMay('member');
  return (
    <>
      <title>{`${id} · vp`}</title>
      <nav className="neighbours" aria-label="Where this is">
        <Link href={scenariosPath(instance)}>Scenarios</Link>
        <span className="faint">/</span>
        <Link href={`${runsPath(instance)}?scenario=${encodeURIComponent(id)}`}>its runs</Link>
      </nav>
      <div className="run-head">
        <section className="verdict" aria-label="Scenario">
          <h1>{id}</h1>
          <p className="facts">
            <span>{entry.title}</span>
            <span>revision {entry.revision}</span>
            <span>
              <Ago at={entry.updated_at} /> by {entry.updated_by}
            </span>
          </p>
        </section>
        {mayWrite ? <RunNow instance={instance} id={id} /> : null}
      </div>
      <Tabs
        label="Scenario"
        tabs={tabs.map((name): Tab<TabName> => ({ name, label: labels[name] }))}
        chosen={tab}
        onChoose={choose}
      >
        {tab === 'read' ? <Rendered text={entry.text} /> : null}
        {tab === 'edit' ? <Editor instance={instance} id={id} text={entry.text} revision={entry.revision} /> : null}
        {tab === 'history' ? <History instance={instance} scenario={id} current={entry} /> : null}
      </Tabs>
    </>
  );
}
