import { formatAgo, formatExactTime } from '../text/format.ts';
import { useNow } from './use-now.ts';

/** A time relative to now, with the exact time on hover: written only then, because each row of a long list has one. */
export function RelativeTime({ timestamp }: { timestamp: string }) {
  const text = useNow((nowMs) => formatAgo(timestamp, nowMs));
  return (
    <time
      dateTime={timestamp}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = formatExactTime(timestamp);
      }}
    >
      {text}
    </time>
  );
}
