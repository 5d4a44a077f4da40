import { formatAgo, formatExactTime } from '../text/format.ts';
import { useNow } from './use-now.ts';

/** A time relative to now, with the exact time on hover. */
export function RelativeTime({ timestamp }: { timestamp: string }) {
  const text = useNow((nowMs) => formatAgo(timestamp, nowMs));
  return (
    <time dateTime={timestamp} title={formatExactTime(timestamp)}>
      {text}
    </time>
  );
}
