/** The lists of a hub, in pages. */
import type { HubPrincipal } from '../types.ts';
import type { CatalogueList, HubCatalogue, MissingConnection } from './catalogue.ts';
import { compareByKey, getCursorPage } from './pagination.ts';
import type { McpResult } from './pending-calls.ts';
import { statusTool } from './status-tool.ts';

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

/** The member of a list's `_meta` that names unavailable connections. */
const missingConnectionsKey = 'vp/missing_connections';

type Lists = Pick<HubCatalogue, 'tools' | 'prompts' | 'resources' | 'templates'>;

/** Throws InvalidParams for an invalid cursor. */
export async function getHubList(
  catalogue: Lists,
  principal: HubPrincipal,
  method: ListMethod,
  cursor: string | undefined,
): Promise<McpResult> {
  if (method === 'tools/list') return toListResult('tools', withStatusTool(await catalogue.tools(principal)), cursor);
  if (method === 'prompts/list') return toListResult('prompts', await catalogue.prompts(principal), cursor);
  if (method === 'resources/list') return toListResult('resources', await catalogue.resources(principal), cursor);
  return toListResult('resourceTemplates', await catalogue.templates(principal), cursor);
}

function withStatusTool(list: Awaited<ReturnType<Lists['tools']>>): typeof list {
  const statusEntry = { publicItem: statusTool, original: statusTool, key: statusTool.name };
  return { ...list, items: [...list.items, statusEntry].sort(compareByKey(({ key }) => key)) };
}

function toListResult<T>(
  member: string,
  { items, missing }: CatalogueList<T>,
  cursor: string | undefined,
): Record<string, unknown> & { readonly _meta?: { readonly [missingConnectionsKey]: readonly MissingConnection[] } } {
  const page = getCursorPage(items, cursor, ({ key }) => key);
  return {
    [member]: page.items.map(({ publicItem }) => publicItem),
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
    ...(missing.length > 0 ? { _meta: { [missingConnectionsKey]: missing } } : {}),
  };
}
