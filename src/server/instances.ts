import { Type } from '@sinclair/typebox';
import { ExecutorWays, Instance, InstanceCreated, InstanceNew, MachineKeyCreated, page } from '../contract/api.ts';
import { instanceWithin } from './own.ts';
import { closed, InstancePath } from './parameters.ts';
import { actorOf, route, type ServerRoute } from './route.ts';

/** The id is judged by the control plane, whose answer says what an id looks like. */
const InstanceWanted = closed(Type.Object({ ...InstanceNew.properties, instance_id: Type.String({ maxLength: 200 }) }));

/** Registered instances. */
export const instanceRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/instances',
    operation: 'listInstances',
    summary: 'All instances, by id; to an agent and to a machine its own',
    action: 'instance.read',
    narrows: true,
    answer: page(Instance),
    handler: async ({ services, caller }) => {
      const only = instanceWithin(caller, undefined);
      const all = await services.control.instances.list();
      const items = only === undefined ? all : all.filter(({ instance_id }) => instance_id === only);
      return { items, next_cursor: null };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/instances',
    operation: 'createInstance',
    summary: 'Register an instance; its executor key is shown this once',
    action: 'instance.create',
    body: InstanceWanted,
    answer: InstanceCreated,
    status: 201,
    handler: ({ services, body, caller }) => services.control.instances.create(body, actorOf(caller)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}',
    operation: 'getInstance',
    summary: 'One instance',
    action: 'instance.read',
    params: InstancePath,
    answer: Instance,
    handler: ({ services, params }) => services.control.instances.get(params.instance),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/instances/{instance}',
    operation: 'deleteInstance',
    summary: 'Remove an instance with its key, its scenarios and its run history',
    action: 'instance.remove',
    params: InstancePath,
    handler: ({ services, params }) => services.control.instances.remove(params.instance),
  }),
  route({
    method: 'POST',
    path: '/api/v1/instances/{instance}/executor-key',
    operation: 'rotateExecutorKey',
    summary: 'Make a new executor key; the old one ends at once',
    action: 'instance.change',
    params: InstancePath,
    answer: Type.Object({ executor_key: Type.String() }),
    status: 201,
    handler: ({ services, params }) => services.control.instances.rotateKey(params.instance),
  }),
  route({
    method: 'POST',
    path: '/api/v1/instances/{instance}/machine-key',
    operation: 'createMachineKey',
    summary: 'Make a key with which a machine reads and removes this instance, and nothing else; it is shown this once',
    action: 'instance.change',
    params: InstancePath,
    answer: MachineKeyCreated,
    status: 201,
    handler: async ({ services: { control, identity }, caller, params }) => {
      const { instance_id: instance } = await control.instances.get(params.instance);
      return { machine_key: await identity.machineKeys.make(caller, instance) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/executor-ways',
    operation: 'getExecutorWays',
    summary: 'How containers of this machine reach the control plane; nothing is told to callers from elsewhere',
    action: 'instance.create',
    answer: ExecutorWays,
    handler: async ({ services: { executorSocketFolder }, address }) => ({
      socket_folder: isOwnMachine(address) ? (executorSocketFolder() ?? null) : null,
    }),
  }),
];

function isOwnMachine(address: string): boolean {
  return /^(::ffff:)?127\./.test(address) || address === '::1';
}
