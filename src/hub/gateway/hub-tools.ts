/** The tools of a hub itself, beside those of its connections. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../access/principal.ts';
import {
  callToolDefinition,
  defaultToolMatches,
  describeToolDefinition,
  findToolsDefinition,
  searchTools,
} from '../tool-search/definitions.ts';
import { CallToolInput, DescribeToolInput, FindToolsInput, parseSearchInput } from '../tool-search/search-input.ts';
import type { SearchableTool } from '../tool-search/tool-index.ts';
import type { ToolSearch } from '../tool-search/tool-search.ts';
import type { HubCatalogue, MissingConnection } from './catalogue.ts';
import { createStatusResult, statusTool } from './status-tool.ts';

/** Sorted by name. */
export function listHubTools({ toolList }: Pick<HubPrincipal, 'toolList'>): readonly Tool[] {
  return toolList === 'search' ? [...searchTools, statusTool] : [statusTool];
}

/** False for a tool that only the view of another one calls (MCP Apps). */
export function isForModels({ _meta: meta }: Pick<Tool, '_meta'>): boolean {
  const { visibility } = Object(meta?.ui);
  return !Array.isArray(visibility) || visibility.includes('model');
}

const maxSummaryLength = 300;

type HubToolsDependencies = {
  readonly catalogue: Pick<HubCatalogue, 'tools' | 'findTool' | 'isVisible'>;
  readonly search: Pick<ToolSearch, 'find'>;
};

export type HubToolOutcome = { readonly result: CallToolResult; readonly code?: string };

/** Errors of the product become errors of the tool. */
export async function runHubTool(run: () => Promise<CallToolResult>): Promise<HubToolOutcome> {
  try {
    return { result: await run() };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    const { code, message, cure } = error;
    const content = [{ type: 'text' as const, text: `${message}; ${cure}` }];
    return { result: { content, structuredContent: { code, message, cure }, isError: true }, code };
  }
}

export class HubTools {
  readonly #dependencies: HubToolsDependencies;

  constructor(dependencies: HubToolsDependencies) {
    this.#dependencies = dependencies;
  }

  has(principal: HubPrincipal, name: string): boolean {
    return listHubTools(principal).some((tool) => tool.name === name);
  }

  /** Wrong arguments and unknown tools are errors of the tool, which models can correct; `code` is that of the error. */
  call(principal: HubPrincipal, name: string, args: unknown): Promise<HubToolOutcome> {
    return runHubTool(() => this.#call(principal, name, args));
  }

  async #call(principal: HubPrincipal, name: string, args: unknown): Promise<CallToolResult> {
    const { catalogue } = this.#dependencies;
    if (name === findToolsDefinition.name) return this.#find(principal, args);
    if (name === describeToolDefinition.name) return this.#describe(principal, args);
    if (name === callToolDefinition.name) return refuseCall(args);
    return createStatusResult(await catalogue.tools(principal));
  }

  async #find(principal: HubPrincipal, args: unknown): Promise<CallToolResult> {
    const { query, limit = defaultToolMatches } = parseSearchInput(findToolsDefinition.name, FindToolsInput, args);
    const { catalogue, search } = this.#dependencies;
    const { items, missing } = await catalogue.tools(principal);
    const candidates = items.filter(({ original }) => isForModels(original));
    const tools = (await search.find(principal, candidates, { query, limit })).map(toFoundTool);
    return createFindResult(tools, missing);
  }

  /** For a tool that the caller may not see as for one that does not exist. */
  async #describe(principal: HubPrincipal, args: unknown): Promise<CallToolResult> {
    const { name } = parseSearchInput(describeToolDefinition.name, DescribeToolInput, args);
    const { catalogue } = this.#dependencies;
    const resolved = await catalogue.findTool(principal, name);
    const tool = resolved?.siblings.get(name)?.publicItem;
    if (!resolved || !tool || !(await catalogue.isVisible(principal, resolved)))
      throw vpError('HUB_TOOL_UNKNOWN', { name: name.slice(0, 100) });
    return { content: [{ type: 'text', text: JSON.stringify(tool) }], structuredContent: { tool } };
  }
}

/** Calls of other tools through `call_tool` do not arrive here: they are calls of those tools. */
function refuseCall(args: unknown): never {
  const { name } = parseSearchInput(callToolDefinition.name, CallToolInput, args);
  throw vpError('HUB_TOOL_ARGUMENTS_INVALID', {
    tool: callToolDefinition.name,
    problem: `name: ${name} cannot call itself`,
  });
}

type FoundTool = {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly string[];
};

function toFoundTool({ publicItem: { name, title, description = '', inputSchema } }: SearchableTool): FoundTool {
  const required = new Set(inputSchema.required);
  const names = Object.keys(inputSchema.properties ?? {}).map(
    (argument) => `${argument}${required.has(argument) ? '*' : ''}`,
  );
  const line = description.replaceAll(/\s+/g, ' ').trim();
  const summary = line.length > maxSummaryLength ? `${line.slice(0, maxSummaryLength - 1)}…` : line;
  return { name, ...(title === undefined ? {} : { title }), description: summary, arguments: names };
}

function createFindResult(tools: readonly FoundTool[], missing: readonly MissingConnection[]): CallToolResult {
  const lines = [
    ...tools.map(({ name, description, arguments: names }) => `${name}(${names.join(', ')}): ${description}`),
    ...missing.map(({ connection, message }) => `not searched: ${connection}: ${message}`),
  ];
  const text = lines.length > 0 ? lines.join('\n') : 'No tool matches. Use other words, or fewer.';
  return { content: [{ type: 'text', text }], structuredContent: { tools: [...tools], missing: [...missing] } };
}
