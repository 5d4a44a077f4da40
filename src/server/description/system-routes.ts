import { type StoreSummary, type SystemReplica, SystemState } from '../../contract/system-api.ts';
import type { ControlGauges } from '../../control/control.ts';
import { route, type ServerRoute } from '../route.ts';
import type { ReplicaState } from './replica-state.ts';

type StoreState = ReturnType<ControlGauges['getStoreState']>;

export function summarizeStore(state: StoreState): StoreSummary {
  if (state.engine === 'sqlite') return { engine: state.engine };
  const { engine, isPooled, connections, notices } = state;
  return { engine, connection: isPooled ? 'pooled' : 'direct', connections, notices };
}

type Replication = { readonly getReplica: () => ReplicaState; readonly listReplicas: () => readonly SystemReplica[] };

function describeReplication({ getReplica, listReplicas }: Replication): SystemState['replication'] {
  const { id, epoch } = getReplica();
  return { id, epoch, replicas: [...listReplicas()] };
}

/** What the control plane runs on, for its owners. */
export const systemRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/system',
    operation: 'getSystem',
    summary: 'What the control plane runs on: the engine of its store, and the replicas that live',
    action: 'system.read',
    response: SystemState,
    async handler({ services: { version, control, getReplica, listReplicas } }) {
      const state = control.gauges.getStoreState();
      return {
        version,
        store: { ...summarizeStore(state), server_version: state.engine === 'postgresql' ? state.version : null },
        replication: getReplica && listReplicas ? describeReplication({ getReplica, listReplicas }) : null,
      };
    },
  }),
];
