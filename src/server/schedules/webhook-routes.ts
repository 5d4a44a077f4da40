/** Where deployments announce themselves: an open route that verifies the signature of the message itself. */
import { Type } from '@sinclair/typebox';
import { ScheduleWebhookResponse } from '../../contract/schedules-api.ts';
import { readBytes } from '../../http/body.ts';
import { PathName } from '../request-schemas.ts';
import { openRoute, type ServerRoute } from '../route.ts';

const bodyLimitBytes = 16 * 1024;

export const scheduleWebhookRoutes: readonly ServerRoute[] = [
  openRoute({
    method: 'POST',
    path: '/api/v1/instances/{instance}/schedules/{schedule}/webhook',
    operation: 'receiveScheduleWebhook',
    summary: 'Request what the schedule selects, after a deployment; the body may have `target_version`',
    credential: 'a signature with the secret of the schedule (Standard Webhooks)',
    params: Type.Object({ instance: PathName, schedule: PathName }),
    response: ScheduleWebhookResponse,
    status: 202,
    async handler({ services, params, request, address }) {
      services.openCallLimiter.take(address);
      const body = new TextDecoder().decode(await readBytes(request, bodyLimitBytes));
      const read = (name: string): string | undefined => request.headers.get(name) ?? undefined;
      return services.control.schedules.receiveWebhook(params.instance, params.schedule, {
        ...{ id: read('webhook-id'), timestamp: read('webhook-timestamp'), signature: read('webhook-signature') },
        body,
      });
    },
  }),
];
