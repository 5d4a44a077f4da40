import { Type } from '@sinclair/typebox';
import {
  DeletedScenario,
  ImportScenarioRequest,
  ImportScenarioResponse,
  pageSchema,
  RenameScenarioRequest,
  RestoreScenarioRequest,
  ScenarioDocument,
  ScenarioEntry,
  WriteScenarioRequest,
} from '../../contract/api.ts';
import { RequestPathPrefix } from '../../contract/run-search-api.ts';
import { closedSchema, InstancePath, PageParameters, ScenarioPath, toPageQuery } from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';

const scenariosPath = '/api/v1/instances/{instance}/scenarios';
/** The longest text that the contract allows, with every character escaped. */
const textLimitBytes = 8_388_608;
/** A page of the console shows all of them: most catalogues are one answer. */
const CatalogueLimit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 }));
const Revision = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

export const scenarioRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: scenariosPath,
    operation: 'listScenarios',
    summary: 'Scenarios of an instance, by id, without their texts; or the deleted ones',
    action: 'scenario.read',
    params: InstancePath,
    query: Type.Object({
      ...PageParameters.properties,
      limit: CatalogueLimit,
      deleted: Type.Optional(
        Type.Boolean({ description: 'true: those that were deleted, with `deleted_at` and `deleted_by`' }),
      ),
      path: Type.Optional(RequestPathPrefix),
    }),
    response: pageSchema(Type.Union([ScenarioEntry, DeletedScenario])),
    handler: ({ services: { control }, params, query }) =>
      query.deleted
        ? control.catalogue.listDeleted(params.instance, toPageQuery(query), query.path)
        : control.catalogue.list(params.instance, toPageQuery(query), query.path),
  }),
  route({
    method: 'GET',
    path: `${scenariosPath}/{scenario}`,
    operation: 'getScenario',
    summary: 'A scenario with its text; by default the newest revision',
    action: 'scenario.read',
    params: ScenarioPath,
    query: Type.Object({ revision: Type.Optional(Revision) }),
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
    summary: 'Remove a scenario from the catalogue; its revisions and runs stay',
    action: 'scenario.write',
    params: ScenarioPath,
    query: Type.Object({
      if_revision: Type.Optional({ ...Revision, description: 'Refuses unless the catalogue has this revision' }),
    }),
    handler: ({ services, params, query, caller }) =>
      services.control.catalogue.remove(params.instance, params.scenario, toActor(caller), query.if_revision),
  }),
  route({
    method: 'POST',
    path: `${scenariosPath}/{scenario}/rename`,
    operation: 'renameScenario',
    summary: 'Give a scenario another ID, in its text too; revisions and runs are found under both ids',
    action: 'scenario.write',
    params: ScenarioPath,
    body: closedSchema(RenameScenarioRequest),
    response: ScenarioDocument,
    handler: ({ services, params, body, caller }) =>
      services.control.catalogue.rename(params.instance, params.scenario, body, toActor(caller)),
  }),
  route({
    method: 'POST',
    path: `${scenariosPath}/{scenario}/restore`,
    operation: 'restoreScenario',
    summary: 'Make the text of a revision the newest one, also of a deleted scenario',
    action: 'scenario.write',
    params: ScenarioPath,
    body: closedSchema(RestoreScenarioRequest),
    response: ScenarioDocument,
    handler: ({ services, params, body, caller }) =>
      services.control.catalogue.restore(params.instance, params.scenario, body, toActor(caller)),
  }),
  route({
    method: 'POST',
    path: `${scenariosPath}/{scenario}/import`,
    operation: 'importScenario',
    summary: 'Write a file of a folder, unless that would overwrite a change of the catalogue',
    action: 'scenario.write',
    params: ScenarioPath,
    body: closedSchema(ImportScenarioRequest),
    bodyLimitBytes: textLimitBytes,
    response: ImportScenarioResponse,
    handler: ({ services, params, body, caller }) =>
      services.control.catalogue.import(params.instance, params.scenario, body, toActor(caller)),
  }),
  route({
    method: 'GET',
    path: `${scenariosPath}/{scenario}/revisions`,
    operation: 'listRevisions',
    summary: 'Revisions of a scenario, newest first',
    action: 'scenario.read',
    params: ScenarioPath,
    response: pageSchema(ScenarioEntry),
    handler: async ({ services, params }) =>
      toSinglePage(await services.control.catalogue.history(params.instance, params.scenario)),
  }),
];
