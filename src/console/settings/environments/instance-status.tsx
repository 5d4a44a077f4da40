import type { Instance } from '../../../contract/api.ts';
import { useNow } from '../../components/use-now.ts';
import { formatAgo, formatCoarseDuration, formatExactTime } from '../../text/format.ts';

/** The status of the executor, as a symbol and a word; of one that does not answer also since when. */
export function InstanceStatus({ instance, showLastSeen = false }: { instance: Instance; showLastSeen?: boolean }) {
  const { executor_status: status, executor_version: version, last_seen_at: lastSeenAt } = instance;
  const ago = useNow((nowMs) => (lastSeenAt === null ? '' : formatAgo(lastSeenAt, nowMs)));
  return (
    <span className={`status is-${status.toLowerCase()}`} title={`executor ${status}`}>
      <span aria-hidden="true">{status === 'REGISTERED' ? '●' : '○'}</span>{' '}
      {status === 'REGISTERED' ? 'REGISTERED' : null}
      {status === 'NEVER_SEEN' ? 'never connected' : null}
      {status === 'AWAY' ? <Offline since={lastSeenAt} /> : null}
      {version === null ? null : <span className="faint"> v{version}</span>}
      {showLastSeen && status === 'REGISTERED' && lastSeenAt !== null ? (
        <span className="faint"> seen {ago}</span>
      ) : null}
    </span>
  );
}

function Offline({ since }: { since: string | null }) {
  const duration = useNow((nowMs) => (since === null ? '' : formatCoarseDuration(nowMs - Date.parse(since))));
  return since === null ? 'offline' : <b title={`last seen ${formatExactTime(since)}`}>offline for {duration}</b>;
}
