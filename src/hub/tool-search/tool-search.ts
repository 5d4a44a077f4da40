/** Finds tools among those that the catalogue offers to the caller. */
import type { Tool } from '@modelcontextprotocol/server';
import type { HubPrincipal } from '../access/principal.ts';
import { type SearchableTool, ToolIndex, type UseCounts } from './tool-index.ts';
import { getUseKey, type ToolUse } from './tool-use.ts';

/** A tool as the catalogue has it: the same object until its server lists it again. */
export type OfferedTool = SearchableTool & { readonly original: Tool };

type CachedIndex = {
  readonly hubId: string;
  readonly tools: readonly OfferedTool[];
  readonly index: Promise<ToolIndex>;
};

/** Callers with the same tools share an index; one of a thousand tools has 1.2 MB (measured). */
const maxIndexes = 16;

export class ToolSearch {
  readonly #use: Pick<ToolUse, 'count'>;
  /** The last one used at the end. */
  #indexes: readonly CachedIndex[] = [];

  constructor(use: Pick<ToolUse, 'count'>) {
    this.#use = use;
  }

  /** Best match first. `tools` are all that the caller may see. */
  async find(
    principal: HubPrincipal,
    tools: readonly OfferedTool[],
    { query, limit }: { readonly query: string; readonly limit: number },
  ): Promise<readonly SearchableTool[]> {
    const counts = await this.#use.count(principal);
    const index = await this.#getIndex(principal.hub.id, tools);
    return index.search(query, limit, toPublicCounts(tools, counts));
  }

  #getIndex(hubId: string, tools: readonly OfferedTool[]): Promise<ToolIndex> {
    const cached = this.#indexes.find((candidate) => candidate.hubId === hubId && isSameList(candidate.tools, tools));
    const latest = cached ?? { hubId, tools, index: ToolIndex.create(tools) };
    this.#indexes = [...this.#indexes.filter((candidate) => candidate !== cached), latest].slice(-maxIndexes);
    return latest.index;
  }
}

function isSameList(first: readonly OfferedTool[], second: readonly OfferedTool[]): boolean {
  return first.length === second.length && first.every((tool, index) => tool === second[index]);
}

/** By public name, and only of tools that are offered. */
function toPublicCounts(tools: readonly OfferedTool[], counts: ReadonlyMap<string, number>): UseCounts {
  if (counts.size === 0) return counts;
  const publicCounts = new Map<string, number>();
  for (const { key, original } of tools) {
    const count = counts.get(getUseKey(key.slice(0, key.indexOf('__')), original.name));
    if (count !== undefined) publicCounts.set(key, count);
  }
  return publicCounts;
}
