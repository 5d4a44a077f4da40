import { useQuery } from '@tanstack/react-query';
import { formatSize } from '../../../report/measures.ts';
import { useClient } from '../../session/client.ts';

/** Fraction of the storage limit. */
const warningRatio = 0.9;

/** Warns when calls cannot be recorded or the storage is nearly full. */
export function AuditHealth({ hub }: { hub: string }) {
  const { hubAudit } = useClient();
  const { data } = useQuery({
    queryKey: ['hub-audit-state', hub],
    queryFn: ({ signal }) => hubAudit.getStatus(hub, { signal }),
    refetchInterval: 30_000,
  });
  if (!data) return null;
  const { problem, used_bytes: usedBytes, most_bytes: maxBytes } = data;
  if (problem !== null)
    return (
      <p className="help" role="alert">
        <span>
          Calls are refused because they cannot be recorded: {problem}. They resume by themselves within seconds once
          there is room.
        </span>
      </p>
    );
  if (usedBytes < maxBytes * warningRatio) return null;
  return (
    <p className="help" role="status">
      <span>
        {formatSize(usedBytes)} of {formatSize(maxBytes)} are used. The oldest calls will soon be deleted to make room
        for new ones. Export what you need to keep longer.
      </span>
    </p>
  );
}
