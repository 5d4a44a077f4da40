import { pageSchema } from '../../contract/api.ts';
import { Quarantine, SetQuarantineRequest } from '../../contract/quarantines-api.ts';
import { closedSchema, InstancePath, ScenarioPath } from '../request-schemas.ts';
import { route, type ServerRoute, toActor, toSinglePage } from '../route.ts';

const quarantinePath = '/api/v1/instances/{instance}/scenarios/{scenario}/quarantine';

export const quarantineRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1/instances/{instance}/quarantines',
    operation: 'listQuarantines',
    summary: 'Scenarios in quarantine, those that end first; they run, and their failures do not count',
    action: 'scenario.read',
    params: InstancePath,
    response: pageSchema(Quarantine),
    handler: async ({ services: { control }, params }) => toSinglePage(await control.quarantines.list(params.instance)),
  }),
  route({
    method: 'PUT',
    path: quarantinePath,
    operation: 'setQuarantine',
    summary: 'Put a scenario in quarantine until a time, or change its quarantine; runs judged before stay as they are',
    action: 'scenario.quarantine',
    params: ScenarioPath,
    body: closedSchema(SetQuarantineRequest),
    response: Quarantine,
    async handler({ services: { control, identity }, params, body, caller }) {
      const actor = toActor(caller);
      const quarantine = await control.quarantines.set(params.instance, params.scenario, body, actor);
      const { scenario_id: scenario, until } = quarantine;
      const event = { event: 'scenario_quarantined', level: 'info', by: actor.name, scenario, until } as const;
      identity.logSecurityEvent({ ...event, instance: params.instance });
      return quarantine;
    },
  }),
  route({
    method: 'DELETE',
    path: quarantinePath,
    operation: 'releaseScenario',
    summary: 'End the quarantine of a scenario now',
    action: 'scenario.quarantine',
    params: ScenarioPath,
    async handler({ services: { control, identity }, params: { instance, scenario }, caller }) {
      await control.quarantines.release(instance, scenario);
      const by = toActor(caller).name;
      identity.logSecurityEvent({ event: 'scenario_released', level: 'info', by, instance, scenario });
    },
  }),
];
