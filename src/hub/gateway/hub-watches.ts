/**
 * What callers keep open: streams of notifications, and watches of resources and tasks, within the limits of the policy. A watched
 * resource is decided again when the policy, or a member of the hub, changes.
 */
import { vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { WatchTarget } from '../upstream/changes.ts';
import type { ConnectionRoute, HubCatalogue, ResolvedResource } from './catalogue.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type ListenerKind, ListenerQuotas } from './listener-quotas.ts';
import { SharedWatches } from './shared-watches.ts';

type HubWatchesDependencies = Pick<GatewayOptions, 'policy' | 'findStoredCaller'> & {
  readonly catalogue: Pick<HubCatalogue, 'findResource' | 'isResourceVisible'>;
};

type ResourceWatch = {
  readonly principal: HubPrincipal;
  readonly resource: ResolvedResource;
  stop(): void;
  onDenied(): void;
};

export class HubWatches {
  readonly #dependencies: HubWatchesDependencies;
  readonly #resources = new Set<ResourceWatch>();
  readonly #watches = new SharedWatches();
  readonly #quotas = new ListenerQuotas();

  constructor(dependencies: HubWatchesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns a function that stops watching. `onDenied` is called if the policy stops it. Throws HUB_TOOL_UNKNOWN, HUB_LISTENERS_LIMITED,
   * UPSTREAM_*.
   */
  async watchResource(principal: HubPrincipal, uri: string, onDenied: () => void): Promise<() => void> {
    const { catalogue } = this.#dependencies;
    const resource = await catalogue.findResource(principal, uri);
    if (!resource || !(await catalogue.isResourceVisible(principal, resource)))
      throw vpError('HUB_TOOL_UNKNOWN', { name: uri.slice(0, 100) });
    const stop = await this.watchAtServer(principal, resource, { uri: resource.uri });
    const watch: ResourceWatch = { principal, resource, stop, onDenied };
    this.#resources.add(watch);
    const stopWatch = (): void => {
      this.#resources.delete(watch);
      stop();
    };
    // The policy or the role may have changed while the server was asked; what is in the set is decided again with each change.
    if (await this.#isStillVisible(watch)) return stopWatch;
    stopWatch();
    throw vpError('HUB_TOOL_UNKNOWN', { name: uri.slice(0, 100) });
  }

  /** Stops the watches of a hub that its policy no longer allows to their callers as they are now, or that cannot be decided. */
  async decideAgain(hubId: string): Promise<void> {
    const ofHub = [...this.#resources].filter(({ principal }) => principal.hub.id === hubId);
    const decisions = ofHub.map(async (watch) => {
      if ((await this.#isStillVisible(watch)) || !this.#resources.delete(watch)) return;
      watch.stop();
      watch.onDenied();
    });
    await Promise.all(decisions);
  }

  /** False, too, where it cannot be decided. */
  async #isStillVisible({ principal, resource }: ResourceWatch): Promise<boolean> {
    const { catalogue, findStoredCaller = async (caller) => caller } = this.#dependencies;
    try {
      const current = await findStoredCaller(principal);
      return current !== undefined && (await catalogue.isResourceVisible(current, resource));
    } catch {
      return false;
    }
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
