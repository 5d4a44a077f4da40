import { Type } from '@sinclair/typebox';
import { Instance, InstanceCreated, InstanceNew, page } from '../contract/api.ts';
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
    summary: 'All instances, by id; to an agent its own',
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
    action: 'instance.change',
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
];
