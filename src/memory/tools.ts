/** The tools of the memory service. Does not load MCP. */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { toVpError, vpError } from '../errors/vp-error.ts';
import type { MemoryFilter, MemoryPage } from './memory-queries.ts';
import type { MemoryService } from './memory-service.ts';
import { type Memory, type MemoryPrincipal, memoryBounds, memoryScopes } from './types.ts';

const strictObject = { additionalProperties: false } as const;
const { tags: maxTags, textLength, tagLength, items, importItems, queryLength } = memoryBounds;

const Scope = Type.Union(
  memoryScopes.map((scope) => Type.Literal(scope)),
  { description: 'user: only you, in this hub. hub: shared with everybody in the hub' },
);
const Text = Type.String({ minLength: 1, maxLength: textLength });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: tagLength }), { maxItems: maxTags });
const Id = Type.String({ minLength: 1, maxLength: 100 });
const MomentText = Type.String({ maxLength: 40, description: 'a time (RFC 3339)' });
const Limit = Type.Integer({ minimum: 1, maximum: items, default: 10 });
const Cursor = Type.String({ maxLength: 100, description: '`next_cursor` of the previous page' });
const optional = Type.Optional;

/** Data, and a short text with the same content. */
export type MemoryToolOutput = { readonly data: Readonly<Record<string, unknown>>; readonly text: string };

/** As sent by `tools/list`. */
export type MemoryToolDefinition = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
};

type MemoryTool = {
  readonly definition: MemoryToolDefinition;
  call(service: MemoryService, principal: MemoryPrincipal, input: unknown): Promise<MemoryToolOutput>;
};

type Kind = 'reads' | 'adds' | 'changes';

function defineTool<S extends TObject>(
  name: string,
  kind: Kind,
  description: string,
  schema: S,
  work: (service: MemoryService, principal: MemoryPrincipal, input: Static<S>) => Promise<MemoryToolOutput>,
): MemoryTool {
  let check: TypeCheck<S> | undefined;
  const annotations = {
    readOnlyHint: kind === 'reads',
    destructiveHint: kind === 'changes',
    idempotentHint: kind !== 'adds',
    openWorldHint: false,
  } as const;
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return {
    definition: { name, title, description, inputSchema: { ...schema, type: 'object' }, annotations },
    async call(service, principal, input) {
      check ??= TypeCompiler.Compile(schema);
      if (check.Check(input)) return work(service, principal, input);
      const validationError = check.Errors(input).First();
      throw vpError('MEMORY_INPUT_INVALID', {
        problem: `${name}${validationError?.path ?? ''}: ${validationError?.message ?? 'wrong'}`,
      });
    },
  };
}

function parseMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw vpError('MEMORY_INPUT_INVALID', { problem: `${JSON.stringify(text)} is not a valid time` });
  return ms;
}

type ListQuery = { scope?: 'user' | 'hub'; tags?: string[]; since?: string; until?: string; limit?: number };

function toFilter({ since, until, ...rest }: ListQuery): MemoryFilter {
  return { ...rest, sinceMs: parseMoment(since), untilMs: parseMoment(until) };
}

/** As many as fit into one response; `left_out` counts the others. */
function fitToResponse(memories: readonly Memory[]): { memories: Memory[]; left_out: number } {
  let remaining: number = memoryBounds.answerLength;
  const fitting: Memory[] = [];
  for (const memory of memories) {
    remaining -= memory.text.length + 300;
    if (remaining < 0 && fitting.length > 0) break;
    fitting.push(memory);
  }
  return { memories: fitting, left_out: memories.length - fitting.length };
}

function toMemoryOutput(memory: Memory, action: string): MemoryToolOutput {
  return { data: { memory }, text: `${action} ${memory.id}` };
}

function toListOutput(memories: readonly Memory[], next?: string): MemoryToolOutput {
  const { memories: fitting, left_out } = fitToResponse(memories);
  const lines = fitting.map(({ id, text, tags }) => `${id}${tags.map((tag) => ` #${tag}`).join('')}: ${text}`);
  const more = left_out > 0 ? [`${left_out} more did not fit: use a smaller limit`] : [];
  const text = [...lines, ...more].join('\n') || 'no memories match';
  return { data: { memories: fitting, left_out, next_cursor: next ?? null }, text };
}

/** A page that fits into one response; the others are on the next page. */
async function toPageOutput(
  fetchPage: (limit: number) => Promise<MemoryPage>,
  limit: number,
): Promise<MemoryToolOutput> {
  const page = await fetchPage(limit);
  const { memories: fitting, left_out } = fitToResponse(page.memories);
  const fittingPage = left_out === 0 ? page : await fetchPage(fitting.length);
  return toListOutput(fittingPage.memories, fittingPage.next);
}

const Range = {
  tags: optional(Tags),
  since: optional(MomentText),
  until: optional(MomentText),
  limit: optional(Limit),
};
const Item = Type.Object({ text: Text, tags: optional(Tags), created_at: optional(MomentText) });

export const memoryTools: readonly MemoryTool[] = [
  defineTool(
    'remember',
    'adds',
    'Store a fact, a decision or a preference, so that it can be recalled later. One item per call.',
    Type.Object({ text: Text, tags: optional(Tags), scope: optional(Scope) }, strictObject),
    async (service, principal, { scope = 'user', ...input }) =>
      toMemoryOutput(await service.remember(principal, scope, input), 'remembered as'),
  ),
  defineTool(
    'recall',
    'reads',
    'Search memories by words, best match first; both scopes unless one is named. Start with it.',
    Type.Object(
      { query: Type.String({ minLength: 1, maxLength: queryLength }), scope: optional(Scope), ...Range },
      strictObject,
    ),
    async (service, principal, { query, ...listQuery }) =>
      toListOutput(await service.recall(principal, query, toFilter(listQuery))),
  ),
  defineTool(
    'list',
    'reads',
    'List all memories of a scope, newest first, in pages.',
    Type.Object({ scope: optional(Scope), ...Range, cursor: optional(Cursor) }, strictObject),
    (service, principal, { scope = 'user', cursor, limit = 10, ...listQuery }) =>
      toPageOutput(
        (pageLimit) => service.list(principal, scope, { ...toFilter(listQuery), limit: pageLimit }, cursor),
        limit,
      ),
  ),
  defineTool(
    'update',
    'changes',
    'Change the text or the tags of a memory.',
    Type.Object({ id: Id, text: optional(Text), tags: optional(Tags) }, strictObject),
    async (service, principal, { id, ...change }) =>
      toMemoryOutput(await service.update(principal, id, change), 'updated'),
  ),
  defineTool(
    'forget',
    'changes',
    'Delete a memory permanently.',
    Type.Object({ id: Id }, strictObject),
    async (service, principal, { id }) => {
      await service.forget(principal, id);
      return { data: { forgotten: id }, text: `forgot ${id}` };
    },
  ),
  defineTool(
    'export',
    'reads',
    'Export the memories of a scope in the format of import, in pages.',
    Type.Object({ scope: optional(Scope), cursor: optional(Cursor) }, strictObject),
    async (service, principal, { scope = 'user', cursor }) => {
      const answer = await toPageOutput((limit) => service.list(principal, scope, { limit }, cursor), items);
      return { ...answer, text: 'see `memories`; call again with `next_cursor` for the next page' };
    },
  ),
  defineTool(
    'import',
    'adds',
    'Remember many items at once, all or none; identical memories are skipped.',
    Type.Object(
      { memories: Type.Array(Item, { minItems: 1, maxItems: importItems }), scope: optional(Scope) },
      strictObject,
    ),
    async (service, principal, { memories, scope = 'user' }) => {
      const imported = await service.import(principal, scope, memories);
      const known = memories.length - imported;
      return { data: { imported, known }, text: `${imported} remembered, ${known} already known` };
    },
  ),
];

export type MemoryResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
};

/** Returns undefined for an unknown tool. Errors become results with the reason and the fix. */
export async function callMemoryTool(
  service: MemoryService,
  principal: MemoryPrincipal,
  name: string,
  input: unknown,
  onError: (error: unknown) => void,
): Promise<MemoryResult | undefined> {
  const match = memoryTools.find(({ definition }) => definition.name === name);
  if (!match) return undefined;
  try {
    const { data, text } = await match.call(service, principal, input ?? {});
    return { content: [{ type: 'text', text }], structuredContent: { ...data } };
  } catch (caught) {
    const error = toVpError(caught);
    if (error.row.status >= 500) onError(caught);
    const publicError = error.row.visibility === 'private' ? vpError('INTERNAL', {}) : error;
    const { code, message, cure } = publicError;
    return {
      content: [{ type: 'text', text: `${message}: ${cure}` }],
      structuredContent: { code, message, cure },
      isError: true,
    };
  }
}
