import type { Instance } from '../../contract/api.ts';
import { agoText } from '../words/moments.ts';
import { useNow } from '../words/use-now.ts';

/** Whether the executor of an instance is there, in a word and a shape; with `seen` also since when not. */
export function StatusWords({ instance, seen = false }: { instance: Instance; seen?: boolean }) {
  const { executor_status: status, executor_version: version, last_seen_at: at } = instance;
  const ago = useNow((nowMs) => (at === null ? '' : agoText(at, nowMs)));
  return (
    <span className={`status is-${status.toLowerCase()}`} title={`executor ${status}`}>
      <span aria-hidden="true">{status === 'REGISTERED' ? '●' : '○'}</span>{' '}
      {status === 'NEVER_SEEN' ? 'NEVER SEEN' : status}
      {version === null ? null : <span className="faint"> v{version}</span>}
      {seen && at !== null ? <span className="faint"> seen {ago}</span> : null}
    </span>
  );
}
