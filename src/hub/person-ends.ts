import type { PersonEndListener } from '../identity/person-ends.ts';
import { connectionsOfHub } from '../store/control/hub-connections.ts';
import { membershipsOf } from '../store/control/hub-members.ts';
import { keptSignIns } from './connections-grant.ts';
import type { HubContext } from './hubs-context.ts';

/** Whose account ends leaves all their hubs: their own sign-ins to the servers of connections end there too. */
export function personEndsIn(context: HubContext): PersonEndListener {
  return (sql, personId) => {
    const hubIds = membershipsOf(sql, personId).map(({ hub_id: id }) => id);
    const ended = hubIds.flatMap((id) => keptSignIns(context, sql, connectionsOfHub(sql, id), { personId }));
    return () => {
      for (const id of hubIds) context.changed(id);
      context.signInsEnded(ended);
    };
  };
}
