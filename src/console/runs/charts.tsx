import { DurationChart } from './duration-chart.tsx';
import { RateChart } from './rate-chart.tsx';
import { useStatistics } from './use-statistics.ts';

/** The last day over time: how much passed, and how long it took. */
export default function Charts({ instance }: { instance: string }) {
  const { data } = useStatistics(instance);
  if (!data) return <div className="charts" />;
  return (
    <section className="charts" aria-label="Last 24 hours">
      <RateChart statistics={data} />
      <DurationChart statistics={data} />
      {data.complete ? null : <p className="faint">Of the newest 10,000 runs only.</p>}
    </section>
  );
}
