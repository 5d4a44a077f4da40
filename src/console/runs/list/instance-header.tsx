import { nowMs } from '../../browser.ts';
import { InstanceStatus } from '../../settings/environments/instance-status.tsx';
import { useInstance } from '../../shell/current-instance.ts';
import { formatDuration } from '../../text/format.ts';
import { calculatePassRate, formatRate, getMidnightMs, sumCountsSince } from '../charts/pass-rate.ts';
import { Sparkline } from '../charts/sparkline.tsx';
import { useStatistics } from '../charts/use-statistics.ts';

/** The state of the instance at a glance. */
export function InstanceHeader({ instance }: { instance: string }) {
  const { data: statistics } = useStatistics(instance);
  const instanceRecord = useInstance(instance);
  const rate = statistics && calculatePassRate(sumCountsSince(statistics, getMidnightMs(nowMs())));
  return (
    <section className="instance-head" aria-label={`Instance ${instance}`}>
      <h1>{instance}</h1>
      {instanceRecord ? <InstanceStatus instance={instanceRecord} /> : <span className="faint">…</span>}
      <span className="figure">
        {rate === undefined ? (
          <span className="faint">no runs today</span>
        ) : (
          <>
            <b>{formatRate(rate)}</b> passed today
          </>
        )}
      </span>
      {statistics ? <Sparkline buckets={statistics.buckets} /> : <span className="sparkline-placeholder" />}
      <span className="figure">
        p50 <b>{statistics?.totals.p50_ms == null ? '–' : formatDuration(statistics.totals.p50_ms)}</b>
      </span>
      <span className="figure">
        <b>{instanceRecord?.running ? 1 : 0}</b> running, <b>{instanceRecord?.queued ?? 0}</b> queued
      </span>
    </section>
  );
}
