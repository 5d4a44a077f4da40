import type { Instance } from '../../../contract/api.ts';
import { useNow } from '../../components/use-now.ts';
import { formatAgo } from '../../text/format.ts';

/** The status of the executor, as a symbol and a word. */
export function InstanceStatus({ instance, showLastSeen = false }: { instance: Instance; showLastSeen?: boolean }) {
  const { executor_status: status, executor_version: version, last_seen_at: lastSeenAt } = instance;
  const ago = useNow((nowMs) => (lastSeenAt === null ? '' : formatAgo(lastSeenAt, nowMs)));
  return (
    <span className={`status is-${status.toLowerCase()}`} title={`executor ${status}`}>
      <span aria-hidden="true">{status === 'REGISTERED' ? '●' : '○'}</span>{' '}
      {status === 'NEVER_SEEN' ? 'NEVER SEEN' : status}
      {version === null ? null : <span className="faint"> v{version}</span>}
      {showLastSeen && lastSeenAt !== null ? <span className="faint"> seen {ago}</span> : null}
    </span>
  );
}
