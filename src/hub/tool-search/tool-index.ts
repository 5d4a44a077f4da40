/** A full-text index of the tools that a caller may see, and of no others: also the ranking reveals nothing else. */
import type { Tool } from '@modelcontextprotocol/server';
import MiniSearch, { type SearchOptions } from 'minisearch';
import { isObject } from '../../json/json-object.ts';
import { getPositionWeight, isConcept, toQueryTerms, toSearchTerms } from './search-terms.ts';

/** A tool by its public name. */
export type SearchableTool = { readonly key: string; readonly publicItem: Tool };

/** How often the caller has used a tool, by its public name. */
export type UseCounts = ReadonlyMap<string, number>;

type ToolDocument = Readonly<Record<'id' | 'name' | 'title' | 'description' | 'parameters', string>>;

/** Longer descriptions are searched up to here. */
const maxTextLength = 4000;
const maxParameters = 200;
/** More terms say nothing more. */
const maxQueryTerms = 60;
const fieldBoosts = { name: 3, title: 2, description: 2, parameters: 0.3 };
/** A tool that the caller uses often is preferred to another one that fits as well, not to one that fits better. */
const maxUseBoost = 1.3;
const fullUseCount = 20;
/** Tools that are indexed in one turn, so that other calls do not wait for a thousand. */
const toolsPerTurn = 20;

const searchOptions: SearchOptions = {
  boost: fieldBoosts,
  combineWith: 'OR',
  prefix: (term) => !isConcept(term) && term.length >= 4,
  fuzzy: (term) => (!isConcept(term) && term.length >= 6 ? 0.2 : false),
  weights: { fuzzy: 0.3, prefix: 0.4 },
  // Plain BM25: long descriptions get nothing for each term that they have.
  bm25: { k: 1.2, b: 0.7, d: 0 },
};

export class ToolIndex {
  readonly #vocabulary = new Set<string>();
  readonly #index = new MiniSearch<ToolDocument>({
    fields: Object.keys(fieldBoosts),
    tokenize: (text) => {
      const terms = toSearchTerms(text);
      for (const term of terms) this.#vocabulary.add(term);
      return terms;
    },
    processTerm: (term) => term,
  });
  readonly #tools: ReadonlyMap<string, SearchableTool>;

  private constructor(tools: readonly SearchableTool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.key, tool]));
  }

  /** Each key must be unique. */
  static async create(tools: readonly SearchableTool[]): Promise<ToolIndex> {
    const created = new ToolIndex(tools);
    await created.#index.addAllAsync(tools.map(toDocument), { chunkSize: toolsPerTurn });
    return created;
  }

  /** Best match first. */
  search(query: string, limit: number, useCounts: UseCounts): SearchableTool[] {
    const terms = toQueryTerms(query, this.#vocabulary);
    const results = this.#index.search(query, {
      ...searchOptions,
      tokenize: () => [...terms.keys()].slice(0, maxQueryTerms),
      boostTerm(term) {
        const { weight, word } = terms.get(term) ?? { weight: 1, word: 0 };
        return weight * getPositionWeight(word);
      },
    });
    const ranked = results.map(({ id, score, queryTerms }) => {
      // The library multiplies by the number of terms; what counts is which words of the query are there.
      const words = new Set(queryTerms.map((term) => terms.get(term)?.word ?? 0));
      const wordWeight = [...words].reduce((sum, word) => sum + getPositionWeight(word), 0);
      return {
        id: String(id),
        rank: (score / queryTerms.length) * wordWeight * calculateUseBoost(useCounts.get(id) ?? 0),
      };
    });
    ranked.sort((first, second) => second.rank - first.rank || (first.id < second.id ? -1 : 1));
    return ranked.slice(0, limit).flatMap(({ id }) => this.#tools.get(id) ?? []);
  }
}

function calculateUseBoost(count: number): number {
  const share = Math.log1p(Math.min(count, fullUseCount)) / Math.log1p(fullUseCount);
  return 1 + (maxUseBoost - 1) * share;
}

function toDocument({
  key,
  publicItem: { title, annotations, description, inputSchema },
}: SearchableTool): ToolDocument {
  return {
    id: key,
    name: key,
    title: title ?? annotations?.title ?? '',
    description: (description ?? '').slice(0, maxTextLength),
    parameters: listParameterTexts(inputSchema).join(' ').slice(0, maxTextLength),
  };
}

/** Names and descriptions of the arguments. */
function listParameterTexts({ properties }: Tool['inputSchema']): string[] {
  return Object.entries(properties ?? {})
    .slice(0, maxParameters)
    .map(([name, schema]) => {
      const description = isObject(schema) && typeof schema.description === 'string' ? schema.description : '';
      return `${name} ${description}`;
    });
}
