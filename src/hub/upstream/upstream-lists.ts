/** What a server offers: its four lists, each page by page, entries that are none left out. */
import {
  isSpecType,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type Tool,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { CachedList, type Fetched } from './cached-list.ts';
import type { UpstreamCall } from './call.ts';
import type { ChangedList } from './channel.ts';
import { type LeftOut, leftOutOf } from './sifted-lists.ts';

/** The lists of one server. */
export type UpstreamLists = {
  readonly tools: CachedList<Tool>;
  readonly prompts: CachedList<Prompt>;
  readonly resources: CachedList<Resource>;
  readonly templates: CachedList<ResourceTemplateType>;
  outdate(list: ChangedList): void;
};

type Capabilities = { readonly tools?: unknown; readonly prompts?: unknown; readonly resources?: unknown };
type Source = {
  readonly connection: { readonly name: string };
  capabilities(): Promise<Capabilities>;
  send(method: string, params: Record<string, unknown>, call: UpstreamCall): Promise<Record<string, unknown>>;
};

/** Hears what is wrong with some of all that is offered, after each list. */
export type OnWarning = (warning: string | undefined) => void;

const mostPages = 64;
const mostEntries = 10_000;

/** The lists of `source`, fetched when they are asked for. */
export function upstreamLists(source: Source, clock: Clock, onWarning: OnWarning = () => {}): UpstreamLists {
  const warnings = new Map<string, string>();
  const list = <T>(of: keyof Capabilities, method: string, member: string, is: (value: unknown) => value is T) =>
    new CachedList<T>(clock, async () => {
      const told = await fetched(source, of, method, member, is);
      if (told.warning === undefined) warnings.delete(member);
      else warnings.set(member, told.warning);
      onWarning(warnings.size > 0 ? [...warnings.values()].join('; ') : undefined);
      return told;
    });
  const tools = list('tools', 'tools/list', 'tools', isSpecType.Tool);
  const prompts = list('prompts', 'prompts/list', 'prompts', isSpecType.Prompt);
  const resources = list('resources', 'resources/list', 'resources', isSpecType.Resource);
  const templates = list('resources', 'resources/templates/list', 'resourceTemplates', isSpecType.ResourceTemplate);
  return {
    tools,
    prompts,
    resources,
    templates,
    outdate(changed) {
      if (changed === 'tools') tools.outdate();
      if (changed === 'prompts') prompts.outdate();
      if (changed !== 'resources') return;
      resources.outdate();
      templates.outdate();
    },
  };
}

async function fetched<T>(
  source: Source,
  of: keyof Capabilities,
  method: string,
  member: string,
  is: (value: unknown) => value is T,
): Promise<Fetched<T>> {
  if ((await source.capabilities())[of] === undefined) return { items: [], ttlMs: undefined };
  const invalid = (problem: string) =>
    vpError('UPSTREAM_ANSWER_INVALID', { connection: source.connection.name, problem: `${method}: ${problem}` });
  const items: T[] = [];
  const left: { count: number; names: string[] } = { count: 0, names: [] };
  let ttlMs: number | undefined;
  let cursor: string | undefined;
  const seen = new Set<string>();
  for (let page = 0; page < mostPages; page += 1) {
    const result = await source.send(method, cursor === undefined ? {} : { cursor }, unattended());
    const entries = result[member];
    if (!Array.isArray(entries)) throw invalid(`no ${member}`);
    for (const entry of entries) if (is(entry)) items.push(entry);
    const { count, names } = leftOutOf(result);
    left.count += count;
    left.names.push(...names);
    if (items.length > mostEntries) throw invalid(`more than ${mostEntries} entries`);
    ttlMs ??= typeof result.ttlMs === 'number' && result.ttlMs > 0 ? result.ttlMs : undefined;
    if (typeof result.nextCursor !== 'string' || seen.has(result.nextCursor))
      return { items, ttlMs, warning: warningOf(member, left) };
    cursor = result.nextCursor;
    seen.add(cursor);
  }
  throw invalid(`more than ${mostPages} pages`);
}

const words: Readonly<Record<string, string>> = { resourceTemplates: 'resource templates' };

function warningOf(member: string, { count, names }: LeftOut): string | undefined {
  if (count === 0) return undefined;
  const some = names.length > 0 ? `, such as ${names.slice(0, 3).join(', ')}` : '';
  return `${count} of its ${words[member] ?? member} are left out: not as MCP has them, or too large${some}`;
}

/** A call that nobody waits for with a session of their own. */
export function unattended(signal = new AbortController().signal): UpstreamCall {
  return {
    personId: '',
    capabilities: {},
    signal,
    onProgress: undefined,
    onLog: undefined,
    logLevel: undefined,
    ask: undefined,
  };
}
