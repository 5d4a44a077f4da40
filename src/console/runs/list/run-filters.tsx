import { useQuery } from '@tanstack/react-query';
import { outcomeLabels } from '../../../run/state.ts';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import type { FilterParams } from '../../views/use-filter-params.ts';
import { getStatisticsSpan, spanLabels, useStatistics } from '../charts/use-statistics.ts';
import type { RunsPageFilter } from '../run-filter.ts';
import { RunSearch } from './run-search.tsx';

const timeOptions = [
  ['', 'any time'],
  ['today', 'today'],
  ['1h', 'last hour'],
  ['24h', 'last 24 h'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const;

/** The filters of the list. Selected values are part of the address. */
export function RunFilters({ filter, params }: { filter: RunsPageFilter; params: FilterParams }) {
  const setParam = (name: string, value: string): void => params.change((next) => next.set(name, value));
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">Filter</legend>
      <ResultFilterButtons filter={filter} setParam={(value) => setParam('result', value)} />
      <ScenarioSelect filter={filter} setParam={(value) => setParam('scenario', value)} />
      <Select
        hideLabel
        label="Time"
        value={filter.span ?? ''}
        options={timeOptions}
        onSelect={(value) => setParam('since', value)}
      />
      <RunSearch params={params} />
    </fieldset>
  );
}

type FilterProps = { readonly filter: RunsPageFilter; readonly setParam: (value: string) => void };

function ResultFilterButtons({ filter, setParam }: FilterProps) {
  const statistics = useStatistics(filter).data;
  // They do not know what a search finds.
  const totals = filter.find === undefined ? statistics?.totals : undefined;
  const period = spanLabels[getStatisticsSpan(filter)];
  const results = [
    ['', 'all', undefined],
    ['failed', 'failed', totals?.failed],
    ['broken', outcomeLabels.broken, totals?.not_judged],
    ['running', 'running', undefined],
    ['queued', 'queued', undefined],
  ] as const;
  return results.map(([value, text, count]) => (
    <button
      key={value}
      type="button"
      className="chip"
      aria-pressed={(filter.result ?? '') === value}
      onClick={() => setParam(value)}
    >
      {text}
      {count ? <b title={period}>{count}</b> : null}
    </button>
  ));
}

/** Also lists the selected scenario if it was removed from the catalogue: its runs remain. */
function ScenarioSelect({ filter, setParam }: FilterProps) {
  const { scenarios } = useClient();
  const { instance, scenario = '' } = filter;
  const { data = [] } = useQuery({
    queryKey: ['scenarios', instance],
    queryFn: ({ signal }) => scenarios.listAll(instance, { signal }),
    staleTime: 60_000,
  });
  const ids = new Set([...data.map(({ scenario_id }) => scenario_id), ...(scenario === '' ? [] : [scenario])]);
  const options = [['', 'any scenario'], ...[...ids].map((id) => [id, id] as const)] as const;
  return <Select hideLabel label="Scenario" value={scenario} options={options} onSelect={setParam} />;
}
