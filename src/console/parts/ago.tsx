import { agoText, exactText } from '../words/moments.ts';
import { useNow } from '../words/use-now.ts';

/** A moment, relative to now; the exact one on hover. */
export function Ago({ at }: { at: string }) {
  const text = useNow((nowMs) => agoText(at, nowMs));
  return (
    <time dateTime={at} title={exactText(at)}>
      {text}
    </time>
  );
}
