/** Notifications of the control plane: their connections go through the same guard as those of hubs. */
import type { OpenControl } from '../../control/open-control.ts';
import type { Environment } from '../../environment/environment.ts';
import { defaultNotificationSettings, type NotificationSettings } from '../../notifications/context.ts';
import { type OpenNotifications, openNotifications } from '../../notifications/notifications.ts';
import { createGuardedFetch, createGuardedResolver } from '../../outbound/guarded-fetch.ts';
import { resolveTrustedRoots } from '../../outbound/tls-roots.ts';
import type { ProcessLog } from '../process-log.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

const answerLimitBytes = 65_536;

type NotificationDependencies = {
  readonly control: OpenControl;
  readonly environment: Pick<Environment, 'variables'>;
  readonly upstreams?: Pick<UpstreamSettings, 'allowPrivate' | 'extraRoots'> | undefined;
  readonly notificationSettings?: Partial<NotificationSettings> | undefined;
  /** URL of this control plane for people. */
  readonly address: () => string;
  readonly log: Pick<ProcessLog, 'error'>;
};

export function openNotificationService({
  control,
  environment: { variables },
  upstreams: { allowPrivate, extraRoots } = { allowPrivate: false, extraRoots: [] },
  notificationSettings,
  address,
  log,
}: NotificationDependencies): OpenNotifications {
  const { database, clock, random, keyring } = control;
  const guarded = createGuardedFetch({ allowPrivate, extraRoots, variables, answerLimitBytes });
  const notifications = openNotifications({
    ...{ database, clock, random, dataKey: keyring.dataKey, allowPrivate, address },
    settings: { ...defaultNotificationSettings, ...notificationSettings },
    fetch: guarded.fetch,
    resolver: createGuardedResolver(allowPrivate),
    trustedRoots: resolveTrustedRoots(extraRoots),
    async listAway() {
      const instances = await control.instances.list();
      const away = instances.filter(({ executor_status: status }) => status === 'AWAY');
      return away.map(({ instance_id: instance, last_seen_at: since }) => ({ instance, since: since ?? '' }));
    },
    onError: (error) => log.error({ err: error }, 'notifications failed'),
  });
  return {
    ...notifications,
    async close() {
      await notifications.close();
      await guarded.close();
    },
  };
}
