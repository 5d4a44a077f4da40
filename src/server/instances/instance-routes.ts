import { Type } from '@sinclair/typebox';
import { isLoopbackHost } from '../../addresses/host-address.ts';
import {
  CreateInstanceRequest,
  CreateInstanceResponse,
  CreateMachineKeyResponse,
  ExecutorConnectivity,
  Instance,
  pageSchema,
} from '../../contract/api.ts';
import { resolveInstanceScope } from '../access/instance-access.ts';
import { closedSchema, InstancePath } from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';

/** The control plane validates the id, with an error that describes valid ids. */
const CreateInstanceBody = closedSchema(
  Type.Object({ ...CreateInstanceRequest.properties, instance_id: Type.String({ maxLength: 200 }) }),
);

export const instanceRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/instances',
    operation: 'listInstances',
    summary: 'All instances, by id; agents and machines get their own',
    action: 'instance.read',
    filtersByCaller: true,
    response: pageSchema(Instance),
    handler: async ({ services, caller }) => {
      const scope = resolveInstanceScope(caller, undefined);
      const instances = await services.control.instances.list();
      const items = scope === undefined ? instances : instances.filter(({ instance_id }) => instance_id === scope);
      return toSinglePage(items);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/instances',
    operation: 'createInstance',
    summary: 'Register an instance; its executor key is returned only here',
    action: 'instance.create',
    body: CreateInstanceBody,
    response: CreateInstanceResponse,
    status: 201,
    handler: ({ services, body, caller }) => services.control.instances.create(body, toActor(caller)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}',
    operation: 'getInstance',
    summary: 'One instance',
    action: 'instance.read',
    params: InstancePath,
    response: Instance,
    handler: ({ services, params }) => services.control.instances.get(params.instance),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/instances/{instance}',
    operation: 'deleteInstance',
    summary: 'Remove an instance with its key, its scenarios and its run history',
    action: 'instance.remove',
    params: InstancePath,
    handler: ({ services: { control, identity }, params: { instance } }) =>
      control.instances.remove(instance, () => identity.agentTokens.endInstance(instance)),
  }),
  route({
    method: 'POST',
    path: '/api/v1/instances/{instance}/executor-key',
    operation: 'rotateExecutorKey',
    summary: 'Create a new executor key; the old one is revoked at once',
    action: 'instance.change',
    params: InstancePath,
    response: Type.Object({ executor_key: Type.String() }),
    status: 201,
    handler: ({ services, params }) => services.control.instances.rotateKey(params.instance),
  }),
  route({
    method: 'POST',
    path: '/api/v1/instances/{instance}/machine-key',
    operation: 'createMachineKey',
    summary:
      'Create a key with which a machine may read and remove this instance, and nothing else; it is returned only here',
    action: 'instance.change',
    params: InstancePath,
    response: CreateMachineKeyResponse,
    status: 201,
    handler: async ({ services: { control, identity }, caller, params }) => {
      const { instance_id: instance } = await control.instances.get(params.instance);
      return { machine_key: await identity.machineKeys.create(caller, instance) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/executor-ways',
    operation: 'getExecutorWays',
    summary: 'How containers on this machine reach the control plane; null for callers from other machines',
    action: 'instance.create',
    response: ExecutorConnectivity,
    handler: async ({ services: { executorSocket }, address }) => ({
      socket_folder: isOwnMachine(address) ? (executorSocket.folder ?? null) : null,
    }),
  }),
];

function isOwnMachine(address: string): boolean {
  return isLoopbackHost(address.replace(/^::ffff:/, ''));
}
