import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import { ChangeViewRequest, CreateViewRequest, SavedView, ViewPageName } from '../../contract/views-api.ts';
import { closedSchema, InstancePath, PathName } from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';

const viewsPath = '/api/v1/instances/{instance}/views';
const ViewPath = Type.Object({ instance: PathName, view: PathName });

export const viewRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: viewsPath,
    operation: 'listViews',
    summary: 'Saved views: named filters of the pages Runs and Scenarios, those of everyone and your own personal ones',
    action: 'run.read',
    params: InstancePath,
    query: Type.Object({ page: Type.Optional(ViewPageName) }),
    response: pageSchema(SavedView),
    handler: async ({ services: { control }, params, query, caller }) =>
      toSinglePage(await control.views.list(params.instance, toActor(caller), query.page)),
  }),
  route({
    method: 'POST',
    path: viewsPath,
    operation: 'createView',
    summary: 'Save a view, for everyone in the instance or for yourself',
    action: 'view.change',
    params: InstancePath,
    body: closedSchema(CreateViewRequest),
    response: SavedView,
    status: 201,
    handler: ({ services: { control }, params, body, caller }) =>
      control.views.create(params.instance, body, toActor(caller)),
  }),
  route({
    method: 'GET',
    path: `${viewsPath}/{view}`,
    operation: 'getView',
    summary: 'A saved view',
    action: 'run.read',
    params: ViewPath,
    response: SavedView,
    handler: ({ services: { control }, params, caller }) =>
      control.views.get(params.instance, params.view, toActor(caller)),
  }),
  route({
    method: 'PATCH',
    path: `${viewsPath}/{view}`,
    operation: 'changeView',
    summary: 'Rename a view, or replace its filters',
    action: 'view.change',
    params: ViewPath,
    body: closedSchema(ChangeViewRequest),
    response: SavedView,
    handler: ({ services: { control }, params, body, caller }) =>
      control.views.change(params.instance, params.view, body, toActor(caller)),
  }),
  route({
    method: 'DELETE',
    path: `${viewsPath}/{view}`,
    operation: 'removeView',
    summary: 'Delete a view; links to it say that it is gone',
    action: 'view.change',
    params: ViewPath,
    handler: ({ services: { control }, params, caller }) =>
      control.views.remove(params.instance, params.view, toActor(caller)),
  }),
];
