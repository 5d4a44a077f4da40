import type { ExecutorWays, Instance, InstanceCreated, InstanceNew, MachineKeyCreated } from '../contract/api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage } from './call.ts';
import type { Transport } from './transport.ts';

/** Registered instances. */
export type InstancesClient = {
  list(giving?: Giving): Promise<readonly Instance[]>;
  create(input: InstanceNew, giving?: Giving): Promise<InstanceCreated>;
  get(id: string, giving?: Giving): Promise<Instance>;
  remove(id: string, giving?: Giving): Promise<void>;
  rotateKey(id: string, giving?: Giving): Promise<{ executor_key: string }>;
  /** A key with which this machine can remove the instance without anybody signing in. */
  makeMachineKey(id: string, giving?: Giving): Promise<MachineKeyCreated>;
  /** How containers of this machine reach the control plane. */
  executorWays(giving?: Giving): Promise<ExecutorWays>;
};

/** The calls for instances. */
export function instancesOf({ json, nothing }: Transport): InstancesClient {
  const isInstance = objectWith<Instance>('instance_id', 'executor_status');
  const isCreated = objectWith<InstanceCreated>('instance', 'executor_key');
  const isMachineKey = objectWith<MachineKeyCreated>('machine_key');
  const isWays = objectWith<ExecutorWays>('socket_folder');
  const isKey = objectWith<{ executor_key: string }>('executor_key');
  return {
    list: async (giving) => (await json({ method: 'GET', path: at('instances'), ...giving }, isPage<Instance>())).items,
    create: (body, giving) => json({ method: 'POST', path: at('instances'), body, ...giving }, isCreated),
    get: (id, giving) => json({ method: 'GET', path: at('instances', id), ...giving }, isInstance),
    remove: (id, giving) => nothing({ method: 'DELETE', path: at('instances', id), ...giving }),
    rotateKey: (id, giving) => json({ method: 'POST', path: at('instances', id, 'executor-key'), ...giving }, isKey),
    makeMachineKey: (id, giving) =>
      json({ method: 'POST', path: at('instances', id, 'machine-key'), ...giving }, isMachineKey),
    executorWays: (giving) => json({ method: 'GET', path: at('executor-ways'), ...giving }, isWays),
  };
}
