import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { Choice } from '../parts/choice.tsx';
import { useConnection } from '../session/connection.ts';
import type { RunFilter } from './filter.ts';
import { useStatistics } from './use-statistics.ts';

const times = [
  ['', 'any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 h'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const;

/** What the list leaves out; every choice stands in the address. */
export function RunFilters({ filter }: { filter: RunFilter }) {
  const [, setSearch] = useSearchParams();
  const set = (name: string, value: string): void =>
    setSearch((search) => {
      if (value === '') search.delete(name);
      else search.set(name, value);
      return search;
    });
  return (
    <fieldset className="filters">
      <legend className="unseen">Filter</legend>
      <Results filter={filter} set={(value) => set('result', value)} />
      <ScenarioChoice filter={filter} set={(value) => set('scenario', value)} />
      <Choice bare label="Time" value={filter.span ?? ''} options={times} onChoose={(value) => set('since', value)} />
    </fieldset>
  );
}

type PartProps = { readonly filter: RunFilter; readonly set: (value: string) => void };

function Results({ filter, set }: PartProps) {
  const totals = useStatistics(filter.instance).data?.totals;
  const results = [
    ['', 'all', undefined],
    ['failed', 'failed', totals?.failed],
    ['broken', 'could not be judged', totals?.not_judged],
  ] as const;
  return results.map(([value, text, count]) => (
    <button
      key={value}
      type="button"
      className="chip"
      aria-pressed={(filter.result ?? '') === value}
      onClick={() => set(value)}
    >
      {text}
      {count ? <b title="in the last 24 hours">{count}</b> : null}
    </button>
  ));
}

/** Also shows a scenario that has left the catalogue, whose runs stay. */
function ScenarioChoice({ filter, set }: PartProps) {
  const { scenarios } = useConnection();
  const { instance, scenario = '' } = filter;
  const { data = [] } = useQuery({
    queryKey: ['scenarios', instance],
    queryFn: ({ signal }) => scenarios.all(instance, { signal }),
    staleTime: 60_000,
  });
  const ids = new Set([...data.map(({ scenario_id }) => scenario_id), ...(scenario === '' ? [] : [scenario])]);
  const options = [['', 'any scenario'], ...[...ids].map((id) => [id, id] as const)] as const;
  return <Choice bare label="Scenario" value={scenario} options={options} onChoose={set} />;
}
