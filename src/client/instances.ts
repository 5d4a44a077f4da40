import type {
  CreateInstanceRequest,
  CreateInstanceResponse,
  CreateMachineKeyResponse,
  ExecutorConnectivity,
  Instance,
} from '../contract/api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type InstancesClient = {
  list(options?: CallOptions): Promise<readonly Instance[]>;
  create(input: CreateInstanceRequest, options?: CallOptions): Promise<CreateInstanceResponse>;
  get(id: string, options?: CallOptions): Promise<Instance>;
  remove(id: string, options?: CallOptions): Promise<void>;
  rotateKey(id: string, options?: CallOptions): Promise<{ executor_key: string }>;
  /** A key with which this machine can remove the instance without a sign-in. */
  createMachineKey(id: string, options?: CallOptions): Promise<CreateMachineKeyResponse>;
  /** How containers of this machine reach the control plane. */
  getExecutorConnectivity(options?: CallOptions): Promise<ExecutorConnectivity>;
};

export function createInstancesClient({ json, noContent }: Transport): InstancesClient {
  const isInstance = createObjectGuard<Instance>('instance_id', 'executor_status');
  const isCreated = createObjectGuard<CreateInstanceResponse>('instance', 'executor_key');
  const isMachineKey = createObjectGuard<CreateMachineKeyResponse>('machine_key');
  const isConnectivity = createObjectGuard<ExecutorConnectivity>('socket_folder');
  const isKey = createObjectGuard<{ executor_key: string }>('executor_key');
  return {
    list: async (options) =>
      (await json({ method: 'GET', path: apiPath('instances'), ...options }, createPageTypeGuard<Instance>())).items,
    create: (body, options) => json({ method: 'POST', path: apiPath('instances'), body, ...options }, isCreated),
    get: (id, options) => json({ method: 'GET', path: apiPath('instances', id), ...options }, isInstance),
    remove: (id, options) => noContent({ method: 'DELETE', path: apiPath('instances', id), ...options }),
    rotateKey: (id, options) =>
      json({ method: 'POST', path: apiPath('instances', id, 'executor-key'), ...options }, isKey),
    createMachineKey: (id, options) =>
      json({ method: 'POST', path: apiPath('instances', id, 'machine-key'), ...options }, isMachineKey),
    getExecutorConnectivity: (options) =>
      json({ method: 'GET', path: apiPath('executor-ways'), ...options }, isConnectivity),
  };
}
