import { nowMs } from '../browser.ts';
import { StatusWords } from '../settings/status-words.tsx';
import { useInstance } from '../shell/current-instance.ts';
import { durationText } from '../words/moments.ts';
import { countsSince, midnightMs, passRate, rateText } from './rates.ts';
import { Spark } from './spark.tsx';
import { useStatistics } from './use-statistics.ts';

/** Is it green, at one glance. */
export function InstanceHeader({ instance }: { instance: string }) {
  const { data: statistics } = useStatistics(instance);
  const found = useInstance(instance);
  const rate = statistics && passRate(countsSince(statistics, midnightMs(nowMs())));
  return (
    <section className="instance-head" aria-label={`Instance ${instance}`}>
      <h1>{instance}</h1>
      {found ? <StatusWords instance={found} /> : <span className="faint">…</span>}
      <span className="figure">
        {rate === undefined ? (
          <span className="faint">no runs today</span>
        ) : (
          <>
            <b>{rateText(rate)}</b> passed today
          </>
        )}
      </span>
      {statistics ? <Spark buckets={statistics.buckets} /> : <span className="spark-place" />}
      <span className="figure">
        p50 <b>{statistics?.totals.p50_ms == null ? '–' : durationText(statistics.totals.p50_ms)}</b>
      </span>
      <span className="figure">
        <b>{found?.running ? 1 : 0}</b> running, <b>{found?.queued ?? 0}</b> queued
      </span>
    </section>
  );
}
