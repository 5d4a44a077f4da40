import { vpError } from '../../errors/vp-error.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { HubPath } from '../protocol/hub-path.ts';
import type { UpstreamServer } from '../upstream/upstream-server.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { matchesUriTemplate } from './uri-template.ts';

/** Whether a server lists a resource or has a template for it. Throws UPSTREAM_* if its lists are unknown. */
export async function isResourceListed(
  { policy, listTimeoutMs }: Pick<GatewayOptions, 'policy' | 'listTimeoutMs'>,
  {
    connection,
    upstream: { lists },
    hubPath,
  }: {
    readonly connection: UpstreamConnection;
    readonly upstream: Pick<UpstreamServer, 'lists'>;
    readonly hubPath: HubPath | undefined;
  },
  uri: string,
): Promise<boolean> {
  const [resources, templates] = await Promise.all([
    lists.resources.get(listTimeoutMs, hubPath),
    lists.templates.get(listTimeoutMs, hubPath),
  ]);
  // The policy refuses what it has not seen in a list.
  if (resources.items) await policy.pinItems?.(connection, 'resource', resources.items);
  if (templates.items) await policy.pinItems?.(connection, 'template', templates.items);
  if (resources.items?.some((resource) => resource.uri === uri)) return true;
  if (templates.items?.some(({ uriTemplate }) => matchesUriTemplate(uriTemplate, uri))) return true;
  if (resources.items && templates.items) return false;
  // Not offered, and not listed in time, are different answers.
  throw (
    resources.problem ??
    templates.problem ??
    vpError('UPSTREAM_TIMED_OUT', { connection: connection.name, timeout_s: listTimeoutMs / 1000 })
  );
}
