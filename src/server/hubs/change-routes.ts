import { type HubChangeRequest, MadeHubChanges, MakeHubChangesRequest } from '../../contract/hubs/hub-changes-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type HubChangeStep, prepareChanges } from '../../hub/changes/hub-change.ts';
import { isActionAllowed } from '../../identity/authorization.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { closedSchema, HubPath } from '../request-schemas.ts';
import { route, type ServerRoute } from '../route.ts';
import type { ServerServices } from '../services.ts';

const bodyLimitBytes = 4_194_304;

export const hubChangeRoutes: readonly ServerRoute[] = [
  route({
    method: 'POST',
    path: '/api/v1/hubs/{hub}/changes',
    operation: 'makeHubChanges',
    summary: 'Make several changes of a hub in one transaction, all or none (owners of the hub)',
    action: 'hub.act',
    params: HubPath,
    body: closedSchema(MakeHubChangesRequest),
    bodyLimitBytes,
    response: MadeHubChanges,
    async handler({ services, caller, params: { hub }, body: { changes: requests, if_revision: expectedRevision } }) {
      const misplaced = requests.findIndex(({ kind }, index) => kind === 'create_hub' && index > 0);
      if (misplaced !== -1)
        throw vpError('REQUEST_INVALID', {
          where: `/changes/${misplaced}`,
          problem: 'creates a hub after another change',
        });
      if (requests[0]?.kind === 'create_hub' && !isActionAllowed(caller, 'hub.create'))
        throw vpError('CREDENTIAL_INSUFFICIENT', { action: 'hub.create' });
      if (requests[0]?.kind === 'create_hub' && expectedRevision !== undefined)
        throw vpError('REQUEST_INVALID', {
          where: '/if_revision',
          problem: 'is of a hub that exists, and this one is to be created',
        });
      const changes = await prepareChanges(requests, (request) => prepareChange(services, caller, hub, request));
      return { hub: await services.hub.changes.make(caller, hub, changes, expectedRevision), count: changes.length };
    },
  }),
];

/** Throws POLICY_INVALID, POLICY_TOOL_UNKNOWN, POLICY_CALLER_UNKNOWN. */
async function prepareChange(
  { hub: { changes }, hubGateway }: Pick<ServerServices, 'hub' | 'hubGateway'>,
  caller: PersonCaller,
  slug: string,
  request: HubChangeRequest,
): Promise<HubChangeStep> {
  switch (request.kind) {
    case 'create_hub':
      return changes.createHub(caller, { slug, ...(request.name === undefined ? {} : { name: request.name }) });
    case 'change_settings':
      return changes.changeSettings(caller, slug, request.settings);
    case 'set_member':
      return changes.setMember(caller, slug, request.person_id, request.role);
    case 'remove_member':
      return changes.removeMember(caller, slug, request.person_id);
    case 'set_policy':
      return hubGateway.governance.preparePolicyChange(caller, slug, request.policy);
    case 'add_connection':
      return changes.addConnection(caller, slug, request.connection);
    case 'change_connection':
      return changes.changeConnection(caller, slug, request.connection_id, request.connection);
    case 'remove_connection':
      return changes.removeConnection(caller, slug, request.connection_id);
  }
}
