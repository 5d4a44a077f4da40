/** The lists of a hub, in pages. */

import { toExactValue } from '../../json/exact-values.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { declaresApps } from '../protocol/extensions.ts';
import type { CatalogueList, HubCatalogue, MissingConnection } from './catalogue.ts';
import { isForModels, listHubTools } from './hub-tools.ts';
import { compareByKey, getCursorPage } from './pagination.ts';
import type { McpResult } from './pending-calls.ts';

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

/** The member of a list's `_meta` that names unavailable connections. */
const missingConnectionsKey = 'vp/missing_connections';

type Lists = Pick<HubCatalogue, 'tools' | 'prompts' | 'resources' | 'templates' | 'listApprovalTools'>;

/** `client` is what the client declares: without views it gets no tools for views only. Throws InvalidParams for an invalid cursor. */
export async function getHubList(
  catalogue: Lists,
  principal: HubPrincipal,
  method: ListMethod,
  cursor: string | undefined,
  client: unknown,
): Promise<McpResult> {
  if (method === 'tools/list') {
    const list = await listTools(catalogue, principal);
    const items = declaresApps(client) ? list.items : list.items.filter(({ original }) => isForModels(original));
    return toListResult('tools', { ...list, items }, cursor);
  }
  if (method === 'prompts/list') return toListResult('prompts', await catalogue.prompts(principal), cursor);
  if (method === 'resources/list') return toListResult('resources', await catalogue.resources(principal), cursor);
  return toListResult('resourceTemplates', await catalogue.templates(principal), cursor);
}

/** Callers who search do not wait for the lists of connections. */
async function listTools(catalogue: Lists, principal: HubPrincipal): ReturnType<Lists['tools']> {
  const own = [...listHubTools(principal), ...(await catalogue.listApprovalTools(principal))];
  const hubEntries = own.map((tool) => ({ publicItem: tool, original: tool, key: tool.name }));
  if (principal.toolList === 'search') return { items: hubEntries, missing: [] };
  const { items, missing } = await catalogue.tools(principal);
  return { missing, items: [...items, ...hubEntries].sort(compareByKey(({ key }) => key)) };
}

function toListResult<T>(
  member: string,
  { items, missing }: CatalogueList<T>,
  cursor: string | undefined,
): Record<string, unknown> & { readonly _meta?: { readonly [missingConnectionsKey]: readonly MissingConnection[] } } {
  const page = getCursorPage(items, cursor, ({ key }) => key);
  return {
    [member]: page.items.map(({ publicItem }) => toExactValue(publicItem)),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    ...(missing.length > 0 ? { _meta: { [missingConnectionsKey]: missing } } : {}),
  };
}
