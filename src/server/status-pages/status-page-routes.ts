import { Type } from '@sinclair/typebox';
import { pageSchema } from '../../contract/api.ts';
import {
  CreateStatusPageRequest,
  CreateStatusPageResponse,
  ExtendStatusPageRequest,
  StatusPage,
} from '../../contract/status-pages-api.ts';
import { getLinkOrigin } from '../access/site.ts';
import { closedSchema, InstancePath, PathName } from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';
import { toBadgePath, toStatusPath } from './status-paths.ts';

const listPath = '/api/v1/instances/{instance}/status-pages';
const StatusPagePath = Type.Object({ instance: PathName, status_page: PathName });

export const statusPageRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: listPath,
    operation: 'listStatusPages',
    summary: 'Pages for people without an account, newest first; ended ones are listed for 30 days',
    action: 'status_page.read',
    params: InstancePath,
    response: pageSchema(StatusPage),
    handler: async ({ services: { control }, params }) => toSinglePage(await control.statusPages.list(params.instance)),
  }),
  route({
    method: 'POST',
    path: listPath,
    operation: 'createStatusPage',
    summary: 'Make results public at a secret address until a time; the address is returned only here',
    action: 'status_page.change',
    params: InstancePath,
    body: closedSchema(CreateStatusPageRequest),
    response: CreateStatusPageResponse,
    status: 201,
    async handler({ services, params: { instance }, body, caller, request }) {
      const actor = toActor(caller);
      const { statusPage, secret } = await services.control.statusPages.create(instance, body, actor);
      const { status_page_id: page, until } = statusPage;
      const event = { event: 'status_page_created', level: 'info', by: actor.name, instance, page, until } as const;
      services.identity.logSecurityEvent(event);
      const origin = getLinkOrigin(request, services.publicUrls);
      const [url, badgeUrl] = [toStatusPath(secret), toBadgePath(secret)].map((path) => `${origin}${path}`);
      return { status_page: statusPage, url: url ?? '', badge_url: badgeUrl ?? '' };
    },
  }),
  route({
    method: 'PUT',
    path: `${listPath}/{status_page}`,
    operation: 'extendStatusPage',
    summary: 'Let a status page end at another time; its address stays',
    action: 'status_page.change',
    params: StatusPagePath,
    body: closedSchema(ExtendStatusPageRequest),
    response: StatusPage,
    async handler({ services: { control, identity }, params: { instance, status_page: page }, body, caller }) {
      const extended = await control.statusPages.extend(instance, page, body);
      const { until } = extended;
      const by = toActor(caller).name;
      identity.logSecurityEvent({ event: 'status_page_extended', level: 'info', by, instance, page, until });
      return extended;
    },
  }),
  route({
    method: 'DELETE',
    path: `${listPath}/{status_page}`,
    operation: 'revokeStatusPage',
    summary: 'End a status page now; nobody can read it any more',
    action: 'status_page.change',
    params: StatusPagePath,
    async handler({ services: { control, identity }, params: { instance, status_page: page }, caller }) {
      await control.statusPages.revoke(instance, page);
      const by = toActor(caller).name;
      identity.logSecurityEvent({ event: 'status_page_revoked', level: 'info', by, instance, page });
    },
  }),
];
