/** What callers keep open: streams of notifications, and watches of resources and tasks, within the limits of the policy. */
import { vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../types.ts';
import type { WatchTarget } from '../upstream/changes.ts';
import type { ConnectionRoute, HubCatalogue } from './catalogue.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type ListenerKind, ListenerQuotas } from './listener-quotas.ts';
import { SharedWatches } from './shared-watches.ts';

type HubWatchesDependencies = Pick<GatewayOptions, 'policy'> & {
  readonly catalogue: Pick<HubCatalogue, 'findResource' | 'isResourceVisible'>;
};

export class HubWatches {
  readonly #dependencies: HubWatchesDependencies;
  readonly #watches = new SharedWatches();
  readonly #quotas = new ListenerQuotas();

  constructor(dependencies: HubWatchesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns a function that stops watching. Throws HUB_TOOL_UNKNOWN, HUB_LISTENERS_LIMITED, UPSTREAM_*. */
  async watchResource(principal: HubPrincipal, uri: string): Promise<() => void> {
    const { catalogue } = this.#dependencies;
    const route = await catalogue.findResource(principal, uri);
    if (!route || !(await catalogue.isResourceVisible(principal, route)))
      throw vpError('HUB_TOOL_UNKNOWN', { name: uri.slice(0, 100) });
    return this.watchAtServer(principal, route, { uri: route.uri });
  }

  /** Each watch counts as a watched resource. Throws HUB_LISTENERS_LIMITED, UPSTREAM_*. */
  async watchAtServer(
    principal: HubPrincipal,
    { connection, upstream }: ConnectionRoute,
    target: WatchTarget,
  ): Promise<() => void> {
    const { id, revision, credential } = connection;
    const isPerUser = credential.kind === 'oauth' && credential.sharing === 'per_user';
    const key = JSON.stringify([id, revision, isPerUser ? principal.person.personId : '', target]);
    const release = (await this.openQuota('resources', principal))();
    try {
      const stop = await this.#watches.watch(key, () => upstream.watch(target));
      return () => {
        stop();
        release();
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Counts one more at once when the returned function is called, which throws HUB_LISTENERS_LIMITED. */
  async openQuota(kind: ListenerKind, principal: HubPrincipal): Promise<() => () => void> {
    const limits = await this.#dependencies.policy.getListenerLimits?.(principal.hub.id);
    return () => (limits ? this.#quotas.take(kind, principal, limits) : () => {});
  }
}
