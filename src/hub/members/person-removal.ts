import type { PersonRemovalHook } from '../../identity/accounts/person-removal-hooks.ts';
import { listConnections } from '../../store/control/hubs/connections.ts';
import { listPersonMemberships } from '../../store/control/hubs/members.ts';
import type { HubContext } from '../context.ts';
import { listStoredSignIns } from '../sign-in/stored-sign-ins.ts';

/** A removed account leaves its hubs, which ends its own sign-ins to upstream servers. */
export function createPersonRemovalListener(context: HubContext): PersonRemovalHook {
  return (sql, personId) => {
    const hubIds = listPersonMemberships(sql, personId).map(({ hub_id: id }) => id);
    const removedSignIns = hubIds.flatMap((id) =>
      listStoredSignIns(context, sql, listConnections(sql, id), { personId }),
    );
    return () => {
      for (const id of hubIds) context.notifyHubChanged(id);
      context.notifySignInsRemoved(removedSignIns);
    };
  };
}
