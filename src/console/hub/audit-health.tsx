import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../session/connection.ts';
import { sizeText } from '../words/moments.ts';

/** Parts of the room that are nearly all of it. */
const nearlyFull = 0.9;

/** Says why calls cannot be written, and when the room for them comes to its end; nothing while all is well. */
export function AuditHealth({ hub }: { hub: string }) {
  const { hubAudit } = useConnection();
  const { data } = useQuery({
    queryKey: ['hub-audit-state', hub],
    queryFn: ({ signal }) => hubAudit.state(hub, { signal }),
    refetchInterval: 30_000,
  });
  if (!data) return null;
  const { problem, used_bytes: used, most_bytes: most } = data;
  if (problem !== null)
    return (
      <p className="help" role="alert">
        <span>
          Calls are refused, because they cannot be written here: {problem}. They go on by themselves within seconds of
          there being room.
        </span>
      </p>
    );
  if (used < most * nearlyFull) return null;
  return (
    <p className="help" role="status">
      <span>
        {sizeText(used)} of {sizeText(most)} are used: the oldest calls make room for new ones soon. Export what must be
        kept longer.
      </span>
    </p>
  );
}
