import { useLiveState } from '../live/use-live.ts';

/** Says that what is shown may be old, for as long as it may; it covers nothing and moves nothing. */
export function OfflineBar() {
  const state = useLiveState();
  return (
    <div className="offline" role="status">
      {state.kind === 'broken' ? (
        <p>
          <strong>Not live.</strong> {state.told.message}. What you see is the last that was known; trying again…
        </p>
      ) : null}
    </div>
  );
}
