import { useState } from 'react';
import { outcomeLabels } from '../../../run/state.ts';
import { useMediaQuery } from '../../components/use-media-query.ts';
import { lazyComponent } from '../../lazy-component.ts';
import type { RunsPageFilter } from '../run-filter.ts';
import { getFilteredOutcome, getStatisticsSpan, spanLabels } from './use-statistics.ts';

const Charts = lazyComponent(() => import('./charts.tsx'));

/** Next to the list on wide screens, otherwise collapsed above it, so that the list comes first. Runs that have not ended, and searches, have none. */
export function ChartsPanel({ filter }: { filter: RunsPageFilter }) {
  const isWide = useMediaQuery('(min-width: 1600px)');
  const outcome = getFilteredOutcome(filter);
  const [isOpen, setIsOpen] = useState(false);
  if (filter.result === 'running' || filter.result === 'queued' || filter.find !== undefined) return null;
  const charts = <Charts filter={filter} />;
  if (isWide) return <aside aria-label="Charts">{charts}</aside>;
  return (
    <details className="charts-fold" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        Charts{outcome === undefined ? '' : ` of runs that ${outcome === 'failed' ? 'failed' : outcomeLabels.broken}`},{' '}
        {spanLabels[getStatisticsSpan(filter)]}
      </summary>
      {isOpen ? charts : null}
    </details>
  );
}
