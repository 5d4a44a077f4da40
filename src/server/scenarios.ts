import { Type } from '@sinclair/typebox';
import { page, ScenarioDocument, ScenarioEntry, ScenarioWrite } from '../contract/api.ts';
import { closed, InstancePath, PageParameters, pageQueryOf, ScenarioPath } from './parameters.ts';
import { actorOf, route, type ServerRoute } from './route.ts';

const base = '/api/v1/instances/{instance}/scenarios';
/** The longest text of the contract, each character escaped. */
const textLimitBytes = 2_097_152;

/** The scenario catalogue of an instance. */
export const scenarioRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: base,
    operation: 'listScenarios',
    summary: 'Scenarios of an instance, by id, without their texts',
    action: 'scenario.read',
    params: InstancePath,
    query: PageParameters,
    answer: page(ScenarioEntry),
    handler: ({ services, params, query }) => services.control.catalogue.list(params.instance, pageQueryOf(query)),
  }),
  route({
    method: 'GET',
    path: `${base}/{scenario}`,
    operation: 'getScenario',
    summary: 'A scenario with its text; the newest revision unless said otherwise',
    action: 'scenario.read',
    params: ScenarioPath,
    query: Type.Object({ revision: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })) }),
    answer: ScenarioDocument,
    handler: ({ services, params, query }) =>
      services.control.catalogue.get(params.instance, params.scenario, query.revision),
  }),
  route({
    method: 'PUT',
    path: `${base}/{scenario}`,
    operation: 'writeScenario',
    summary: 'Write a scenario; a text with errors is refused with all of them',
    action: 'scenario.write',
    params: ScenarioPath,
    body: closed(ScenarioWrite),
    bodyLimitBytes: textLimitBytes,
    answer: ScenarioDocument,
    handler: ({ services, params, body, caller }) =>
      services.control.catalogue.write(params.instance, params.scenario, body, actorOf(caller)),
  }),
  route({
    method: 'DELETE',
    path: `${base}/{scenario}`,
    operation: 'deleteScenario',
    summary: 'Remove a scenario from the catalogue; its runs stay',
    action: 'scenario.write',
    params: ScenarioPath,
    handler: ({ services, params }) => services.control.catalogue.remove(params.instance, params.scenario),
  }),
  route({
    method: 'GET',
    path: `${base}/{scenario}/revisions`,
    operation: 'listRevisions',
    summary: 'Revisions of a scenario, newest first',
    action: 'scenario.read',
    params: ScenarioPath,
    answer: page(ScenarioEntry),
    handler: async ({ services, params }) => ({
      items: await services.control.catalogue.history(params.instance, params.scenario),
      next_cursor: null,
    }),
  }),
];
