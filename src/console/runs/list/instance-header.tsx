import { formatDuration } from '../../../report/measures.ts';
import { InstanceStatus } from '../../settings/environments/instance-status.tsx';
import { useInstance } from '../../shell/current-instance.ts';
import { calculatePassRate, formatRate } from '../charts/pass-rate.ts';
import { Sparkline } from '../charts/sparkline.tsx';
import { getStatisticsSpan, spanLabels, useStatistics } from '../charts/use-statistics.ts';
import type { RunsPageFilter } from '../run-filter.ts';

/** The state of the environment at a glance, and the figures of the runs that the filter selects. */
export function InstanceHeader({ filter }: { filter: RunsPageFilter }) {
  const { instance, scenario, find } = filter;
  const { data: statistics } = useStatistics(filter);
  const instanceRecord = useInstance(instance);
  const rate = statistics && calculatePassRate(statistics.totals);
  const period = `${spanLabels[getStatisticsSpan(filter)]}${scenario === undefined ? '' : `, ${scenario}`}${find === undefined ? '' : ', with runs that the search leaves out'}`;
  return (
    <section className="instance-head" aria-label={`Environment ${instance}`}>
      <h1>
        Runs <span className="faint">{instance}</span>
      </h1>
      {instanceRecord ? <InstanceStatus instance={instanceRecord} /> : <span className="faint">…</span>}
      <span className="figure">
        {statistics && rate === undefined ? <span className="faint">no results</span> : null}
        {rate === undefined ? null : (
          <>
            <b>{formatRate(rate)}</b> passed
          </>
        )}
      </span>
      {statistics ? (
        <Sparkline buckets={statistics.buckets} period={period} />
      ) : (
        <span className="sparkline-placeholder" />
      )}
      <span className="figure">
        p50 <b>{statistics?.totals.p50_ms == null ? '–' : formatDuration(statistics.totals.p50_ms)}</b>
      </span>
      <span className="faint">{period}</span>
    </section>
  );
}
