/** The four lists of a server, fetched page by page, without invalid entries. */
import {
  isSpecType,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type Tool,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../../environment/clock.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { hubCapabilities } from '../../protocol/extensions.ts';
import type { HubPath } from '../../protocol/hub-path.ts';
import type { ChangedList } from '../changes.ts';
import { type CredentialMask, maskJson } from '../credential-masker.ts';
import type { UpstreamCallOptions } from '../upstream-call.ts';
import { CachedList, type FetchedList } from './cached-list.ts';
import { getOmittedEntries, type OmittedEntries } from './valid-lists.ts';

export type UpstreamLists = {
  readonly tools: CachedList<Tool>;
  readonly prompts: CachedList<Prompt>;
  readonly resources: CachedList<Resource>;
  readonly templates: CachedList<ResourceTemplateType>;
  invalidate(createList: ChangedList): void;
};

type ListCapabilities = { readonly tools?: unknown; readonly prompts?: unknown; readonly resources?: unknown };
export type ListSource = {
  readonly connection: { readonly name: string };
  capabilities(): Promise<ListCapabilities>;
  /** Hides the credential, which a server may echo. Rejects if it cannot be read. */
  getMask(): Promise<CredentialMask> | CredentialMask;
  send(method: string, params: Record<string, unknown>, call: UpstreamCallOptions): Promise<Record<string, unknown>>;
};

/** Called after each list with what is wrong with its entries, if anything. */
export type WarningListener = (warning: string | undefined) => void;

const maxPages = 64;
const maxEntries = 10_000;

/** Fetched on demand. */
export function createUpstreamLists(
  source: ListSource,
  clock: Clock,
  onWarning: WarningListener = () => {},
): UpstreamLists {
  const warnings = new Map<string, string>();
  const createList = <T>(
    capability: keyof ListCapabilities,
    method: string,
    memberName: string,
    isEntry: (value: unknown) => value is T,
  ) =>
    new CachedList<T>(clock, async (hubPath) => {
      const fetched = await fetchList(source, { capability, method, memberName, isEntry, hubPath });
      if (fetched.warning === undefined) warnings.delete(memberName);
      else warnings.set(memberName, fetched.warning);
      onWarning(warnings.size > 0 ? [...warnings.values()].join('; ') : undefined);
      return fetched;
    });
  const tools = createList('tools', 'tools/list', 'tools', isSpecType.Tool);
  const prompts = createList('prompts', 'prompts/list', 'prompts', isSpecType.Prompt);
  const resources = createList('resources', 'resources/list', 'resources', isSpecType.Resource);
  const templates = createList(
    'resources',
    'resources/templates/list',
    'resourceTemplates',
    isSpecType.ResourceTemplate,
  );
  return {
    tools,
    prompts,
    resources,
    templates,
    invalidate(changedList) {
      if (changedList === 'tools') tools.invalidate();
      if (changedList === 'prompts') prompts.invalidate();
      if (changedList !== 'resources') return;
      resources.invalidate();
      templates.invalidate();
    },
  };
}

type ListRequest<T> = {
  readonly capability: keyof ListCapabilities;
  readonly method: string;
  readonly memberName: string;
  isEntry(value: unknown): value is T;
  readonly hubPath: HubPath;
};

async function fetchList<T>(
  source: ListSource,
  { capability, method, memberName, isEntry, hubPath }: ListRequest<T>,
): Promise<FetchedList<T>> {
  if ((await source.capabilities())[capability] === undefined) return { items: [], ttlMs: undefined };
  const invalidResultError = (problem: string) =>
    vpError('UPSTREAM_ANSWER_INVALID', { connection: source.connection.name, problem: `${method}: ${problem}` });
  const items: T[] = [];
  const omitted: { count: number; names: string[] } = { count: 0, names: [] };
  let ttlMs: number | undefined;
  let cursor: string | undefined;
  const seenCursors = new Set<string>();
  for (let page = 0; page < maxPages; page += 1) {
    const result = await source.send(method, cursor === undefined ? {} : { cursor }, createUnattendedCall(hubPath));
    const entries = result[memberName];
    if (!Array.isArray(entries)) throw invalidResultError(`no ${memberName}`);
    for (const entry of entries) if (isEntry(entry)) items.push(entry);
    const { count, names } = getOmittedEntries(result);
    omitted.count += count;
    omitted.names.push(...names);
    if (items.length > maxEntries) throw invalidResultError(`more than ${maxEntries} entries`);
    ttlMs ??= typeof result.ttlMs === 'number' && result.ttlMs > 0 ? result.ttlMs : undefined;
    if (typeof result.nextCursor !== 'string' || seenCursors.has(result.nextCursor)) {
      const warning = formatWarning(memberName, omitted);
      return maskJson(await source.getMask(), { items, ttlMs, warning });
    }
    cursor = result.nextCursor;
    seenCursors.add(cursor);
  }
  throw invalidResultError(`more than ${maxPages} pages`);
}

const memberLabels: Readonly<Record<string, string>> = { resourceTemplates: 'resource templates' };

function formatWarning(memberName: string, { count, names }: OmittedEntries): string | undefined {
  if (count === 0) return undefined;
  const examples = names.length > 0 ? `, such as ${names.slice(0, 3).join(', ')}` : '';
  return `${count} of its ${memberLabels[memberName] ?? memberName} are omitted because they are invalid or too large${examples}`;
}

/** Options of a call without a caller. */
export function createUnattendedCall(
  hubPath: HubPath = [],
  signal = new AbortController().signal,
): UpstreamCallOptions {
  return {
    personId: '',
    hubPath,
    capabilities: hubCapabilities,
    signal,
    onProgress: undefined,
    onLog: undefined,
    logLevel: undefined,
    askCaller: undefined,
  };
}
