import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ComparedSide } from '../../client/insight.ts';
import { changeLabels, listSpeedChanges, listSpeedTotals } from '../../contract/change-labels.ts';
import type { ComparedScenario, RunComparison } from '../../contract/comparison-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { toSentence } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { useClient } from '../session/client.ts';
import { formatCount, formatExactTime } from '../text/format.ts';
import { ComparisonTable } from './comparison-table.tsx';

type ComparisonResultProps = { readonly instance: string; readonly base: ComparedSide; readonly head: ComparedSide };

export function ComparisonResult({ instance, base, head }: ComparisonResultProps) {
  const { comparison } = useClient();
  const query = useQuery({
    queryKey: ['comparison', instance, base, head],
    queryFn: ({ signal }) => comparison.compare(instance, base, head, { signal }),
  });
  return <ComparisonAnswer query={query} />;
}

/** What came of asking for a comparison. */
export function ComparisonAnswer({ query }: { query: UseQueryResult<RunComparison> }) {
  const { error } = query;
  if (error instanceof VpError && error.code === 'COMPARISON_EMPTY')
    return (
      <EmptyState title="There is nothing to compare">
        <p>{toSentence(error.message)}</p>
      </EmptyState>
    );
  return <QueryContent query={query}>{(result) => <ComparisonContent comparison={result} />}</QueryContent>;
}

function isJudged(side: ComparedScenario['base']): boolean {
  return side !== null && side.passed + side.failed > 0;
}

function ComparisonContent({ comparison }: { comparison: RunComparison }) {
  const [showsAll, setShowsAll] = useState(false);
  const changed = comparison.scenarios.filter(
    (scenario) => scenario.change !== 'unchanged' || listSpeedChanges(scenario).length > 0,
  );
  const hiddenCount = comparison.scenarios.length - changed.length;
  return (
    <section aria-label="Changes">
      <p role="status">
        {comparison.scenarios.some(({ base, head }) => isJudged(base) && isJudged(head)) ? null : (
          <strong>Nothing was compared: no scenario was judged on both sides. </strong>
        )}
        <strong>{describeTotals(comparison)}</strong>
      </p>
      <SideFacts name="Base" side={comparison.base} />
      <SideFacts name="Head" side={comparison.head} />
      {changed.length > 0 || showsAll ? (
        <ComparisonTable scenarios={showsAll ? comparison.scenarios : changed} />
      ) : null}
      {hiddenCount > 0 && !showsAll ? (
        <p>
          <button type="button" onClick={() => setShowsAll(true)}>
            Show {formatCount(hiddenCount, 'unchanged scenario')}
          </button>
        </p>
      ) : null}
    </section>
  );
}

function describeTotals(comparison: RunComparison): string {
  const { totals } = comparison;
  const counts = Object.entries(changeLabels).map(
    ([change, label]) => [totals[change as keyof typeof totals], label] as const,
  );
  const all = [...counts.slice(0, -1), ...listSpeedTotals(comparison), ...counts.slice(-1)];
  return all.flatMap(([count, label]) => (count > 0 ? [`${count} ${label}`] : [])).join(', ');
}

function SideFacts({ name, side }: { name: string; side: RunComparison['base'] }) {
  return (
    <p className="faint">
      {name} <SideName side={side} />: {formatCount(side.runs, 'run')}
      {side.complete ? '' : ' (the newest; there are more)'}, the last <RelativeTime timestamp={side.until} />
    </p>
  );
}

function SideName({ side }: { side: RunComparison['base'] }) {
  const { target_version: version, branch, since, until } = side;
  if (version !== null) return <span className="mono">{version}</span>;
  if (branch !== null)
    return (
      <>
        the branch <span className="mono">{branch}</span>
      </>
    );
  return `${formatExactTime(since)} to ${formatExactTime(until)}`;
}
