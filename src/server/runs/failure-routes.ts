import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import { maxAssigneeLength } from '../../contract/failure-limits.ts';
import {
  ChangeFailureRequest,
  FailureDocument,
  FailureFilterState,
  FailureGroup,
} from '../../contract/failures-api.ts';
import { closedSchema, InstancePath, PageParameters, PathName, toPageQuery } from '../request-schemas.ts';
import { route, type ServerRoute, toActor } from '../route.ts';

const failuresPath = '/api/v1/instances/{instance}/failures';
const FailurePath = Type.Object({ instance: PathName, failure: PathName });

export const failureRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: failuresPath,
    operation: 'listFailures',
    summary: 'Failed runs by what failed, those seen last first',
    action: 'run.read',
    params: InstancePath,
    query: Type.Object({
      ...PageParameters.properties,
      state: Type.Optional(FailureFilterState),
      scenario: Type.Optional(Type.String({ maxLength: 200 })),
      assignee: Type.Optional(Type.String({ maxLength: maxAssigneeLength })),
    }),
    response: pageSchema(FailureGroup),
    handler: ({ services: { control }, params: { instance }, query }) => {
      const { state, scenario, assignee } = query;
      return control.failures.list({ instance, state, scenario, assignee }, toPageQuery(query));
    },
  }),
  route({
    method: 'GET',
    path: `${failuresPath}/{failure}`,
    operation: 'getFailure',
    summary: 'A failure with its newest runs and the versions of the target that had it',
    action: 'run.read',
    params: FailurePath,
    response: FailureDocument,
    handler: ({ services: { control }, params }) => control.failures.get(params.instance, params.failure),
  }),
  route({
    method: 'PUT',
    path: `${failuresPath}/{failure}`,
    operation: 'changeFailure',
    summary: 'Resolve a failure or open it again, assign it, or write a note; a later run that fails so opens it again',
    action: 'failure.change',
    params: FailurePath,
    body: closedSchema(ChangeFailureRequest),
    response: FailureGroup,
    handler: ({ services: { control }, params, body, caller }) =>
      control.failures.change(params.instance, params.failure, body, toActor(caller)),
  }),
];
