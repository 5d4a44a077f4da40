import { Type } from '@sinclair/typebox';
import { pageSchema, ScenarioDocument, ScenarioEntry, WriteScenarioRequest } from '../../contract/api.ts';
import { closedSchema, InstancePath, PageParameters, ScenarioPath, toPageQuery } from '../request-schemas.ts';
import { route, type ServerRoute, toActor } from '../route.ts';

const scenariosPath = '/api/v1/instances/{instance}/scenarios';
/** The longest text that the contract allows, with every character escaped. */
const textLimitBytes = 2_097_152;

export const scenarioRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: scenariosPath,
    operation: 'listScenarios',
    summary: 'Scenarios of an instance, by id, without their texts',
    action: 'scenario.read',
    params: InstancePath,
    query: PageParameters,
    response: pageSchema(ScenarioEntry),
    handler: ({ services, params, query }) => services.control.catalogue.list(params.instance, toPageQuery(query)),
  }),
  route({
    method: 'GET',
    path: `${scenariosPath}/{scenario}`,
    operation: 'getScenario',
    summary: 'A scenario with its text; by default the newest revision',
    action: 'scenario.read',
    params: ScenarioPath,
    query: Type.Object({ revision: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })) }),
    response: ScenarioDocument,
    handler: ({ services, params, query }) =>
      services.control.catalogue.get(params.instance, params.scenario, query.revision),
  }),
  route({
    method: 'PUT',
    path: `${scenariosPath}/{scenario}`,
    operation: 'writeScenario',
    summary: 'Write a scenario; a text with errors is refused with all errors',
    action: 'scenario.write',
    params: ScenarioPath,
    body: closedSchema(WriteScenarioRequest),
    bodyLimitBytes: textLimitBytes,
    response: ScenarioDocument,
    handler: ({ services, params, body, caller }) =>
      services.control.catalogue.write(params.instance, params.scenario, body, toActor(caller)),
  }),
  route({
    method: 'DELETE',
    path: `${scenariosPath}/{scenario}`,
    operation: 'deleteScenario',
    summary: 'Remove a scenario from the catalogue; its runs stay',
    action: 'scenario.write',
    params: ScenarioPath,
    handler: ({ services, params }) => services.control.catalogue.remove(params.instance, params.scenario),
  }),
  route({
    method: 'GET',
    path: `${scenariosPath}/{scenario}/revisions`,
    operation: 'listRevisions',
    summary: 'Revisions of a scenario, newest first',
    action: 'scenario.read',
    params: ScenarioPath,
    response: pageSchema(ScenarioEntry),
    handler: async ({ services, params }) => ({
      items: await services.control.catalogue.history(params.instance, params.scenario),
      next_cursor: null,
    }),
  }),
];
