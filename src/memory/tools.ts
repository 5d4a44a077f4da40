/** The tools of the memory service: what each takes, and what it does. Loads nothing of MCP. */
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { asVpError, vpError } from '../errors/vp-error.ts';
import type { MemoryPage, MemoryService, MemoryWanted } from './memory-service.ts';
import { type Memory, type MemoryPrincipal, memoryBounds, memoryScopes } from './words.ts';

const closed = { additionalProperties: false } as const;
const { tags: mostTags, textLength, tagLength, items, importItems, queryLength } = memoryBounds;

const Scope = Type.Union(
  memoryScopes.map((scope) => Type.Literal(scope)),
  { description: 'user: only you, in this hub. hub: shared with everybody in the hub' },
);
const Text = Type.String({ minLength: 1, maxLength: textLength });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: tagLength }), { maxItems: mostTags });
const Id = Type.String({ minLength: 1, maxLength: 100 });
const MomentText = Type.String({ maxLength: 40, description: 'a moment (RFC 3339)' });
const Limit = Type.Integer({ minimum: 1, maximum: items, default: 10 });
const Cursor = Type.String({ maxLength: 100, description: '`next_cursor` of the page before' });
const optional = Type.Optional;

/** What a tool answers: data, and a short text that says the same. */
export type MemoryAnswer = { readonly data: Readonly<Record<string, unknown>>; readonly text: string };

/** A tool as `tools/list` sends it. */
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
  call(service: MemoryService, who: MemoryPrincipal, input: unknown): Promise<MemoryAnswer>;
};

type Kind = 'reads' | 'adds' | 'changes';

function tool<S extends TObject>(
  name: string,
  kind: Kind,
  description: string,
  schema: S,
  work: (service: MemoryService, who: MemoryPrincipal, input: Static<S>) => Promise<MemoryAnswer>,
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
    async call(service, who, input) {
      check ??= TypeCompiler.Compile(schema);
      if (check.Check(input)) return work(service, who, input);
      const fault = check.Errors(input).First();
      throw vpError('MEMORY_INPUT_INVALID', { problem: `${name}${fault?.path ?? ''}: ${fault?.message ?? 'wrong'}` });
    },
  };
}

function momentMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw vpError('MEMORY_INPUT_INVALID', { problem: `${JSON.stringify(text)} is no moment` });
  return ms;
}

type Asked = { scope?: 'user' | 'hub'; tags?: string[]; since?: string; until?: string; limit?: number };

function wantedOf({ since, until, ...rest }: Asked): MemoryWanted {
  return { ...rest, sinceMs: momentMs(since), untilMs: momentMs(until) };
}

/** As many as one answer holds; `left_out` says that there were more. */
function bounded(memories: readonly Memory[]): { memories: Memory[]; left_out: number } {
  let room: number = memoryBounds.answerLength;
  const told: Memory[] = [];
  for (const memory of memories) {
    room -= memory.text.length + 300;
    if (room < 0 && told.length > 0) break;
    told.push(memory);
  }
  return { memories: told, left_out: memories.length - told.length };
}

function one(memory: Memory, did: string): MemoryAnswer {
  return { data: { memory }, text: `${did} ${memory.id}` };
}

function several(memories: readonly Memory[], next?: string): MemoryAnswer {
  const { memories: told, left_out } = bounded(memories);
  const lines = told.map(({ id, text, tags }) => `${id}${tags.map((tag) => ` #${tag}`).join('')}: ${text}`);
  const more = left_out > 0 ? [`${left_out} more did not fit: ask with a smaller limit`] : [];
  const text = [...lines, ...more].join('\n') || 'nothing is remembered that fits';
  return { data: { memories: told, left_out, next_cursor: next ?? null }, text };
}

/** A page of which all fits into one answer: what does not is on the next one. */
async function wholePage(ask: (limit: number) => Promise<MemoryPage>, limit: number): Promise<MemoryAnswer> {
  const page = await ask(limit);
  const { memories: told, left_out } = bounded(page.memories);
  const shown = left_out === 0 ? page : await ask(told.length);
  return several(shown.memories, shown.next);
}

const Range = {
  tags: optional(Tags),
  since: optional(MomentText),
  until: optional(MomentText),
  limit: optional(Limit),
};
const Item = Type.Object({ text: Text, tags: optional(Tags), created_at: optional(MomentText) });

/** In the order of the list. */
export const memoryTools: readonly MemoryTool[] = [
  tool(
    'remember',
    'adds',
    'Keep a fact, a decision or a preference, so that it can be recalled later. One thing each.',
    Type.Object({ text: Text, tags: optional(Tags), scope: optional(Scope) }, closed),
    async (service, who, { scope = 'user', ...input }) =>
      one(await service.remember(who, scope, input), 'remembered as'),
  ),
  tool(
    'recall',
    'reads',
    'Find what is remembered by words, best first; both scopes unless one is named. Begin with it.',
    Type.Object(
      { query: Type.String({ minLength: 1, maxLength: queryLength }), scope: optional(Scope), ...Range },
      closed,
    ),
    async (service, who, { query, ...asked }) => several(await service.recall(who, query, wantedOf(asked))),
  ),
  tool(
    'list',
    'reads',
    'All that is remembered in a scope, newest first, in pages.',
    Type.Object({ scope: optional(Scope), ...Range, cursor: optional(Cursor) }, closed),
    (service, who, { scope = 'user', cursor, limit = 10, ...asked }) =>
      wholePage((most) => service.list(who, scope, { ...wantedOf(asked), limit: most }, cursor), limit),
  ),
  tool(
    'update',
    'changes',
    'Write the text or the tags of a memory anew.',
    Type.Object({ id: Id, text: optional(Text), tags: optional(Tags) }, closed),
    async (service, who, { id, ...change }) => one(await service.update(who, id, change), 'updated'),
  ),
  tool(
    'forget',
    'changes',
    'Delete a memory for good.',
    Type.Object({ id: Id }, closed),
    async (service, who, { id }) => {
      await service.forget(who, id);
      return { data: { forgotten: id }, text: `forgot ${id}` };
    },
  ),
  tool(
    'export',
    'reads',
    'Memories of a scope in the form that import takes, in pages.',
    Type.Object({ scope: optional(Scope), cursor: optional(Cursor) }, closed),
    async (service, who, { scope = 'user', cursor }) => {
      const answer = await wholePage((limit) => service.list(who, scope, { limit }, cursor), items);
      return { ...answer, text: 'see `memories`; ask again with `next_cursor` for the rest' };
    },
  ),
  tool(
    'import',
    'adds',
    'Remember many at once, all or none; what is there already, word for word, is left as it is.',
    Type.Object({ memories: Type.Array(Item, { minItems: 1, maxItems: importItems }), scope: optional(Scope) }, closed),
    async (service, who, { memories, scope = 'user' }) => {
      const imported = await service.import(who, scope, memories);
      const known = memories.length - imported;
      return { data: { imported, known }, text: `${imported} remembered, ${known} were known` };
    },
  ),
];

/** What `tools/call` answers. */
export type MemoryResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
};

/** Calls a tool; undefined where there is none of that name. Refusals are results that say why and what to do. */
export async function callMemoryTool(
  service: MemoryService,
  who: MemoryPrincipal,
  name: string,
  input: unknown,
  onFault: (fault: unknown) => void,
): Promise<MemoryResult | undefined> {
  const found = memoryTools.find(({ definition }) => definition.name === name);
  if (!found) return undefined;
  try {
    const { data, text } = await found.call(service, who, input ?? {});
    return { content: [{ type: 'text', text }], structuredContent: { ...data } };
  } catch (thrown) {
    const error = asVpError(thrown);
    if (error.row.status >= 500) onFault(thrown);
    const shown = error.row.visibility === 'private' ? vpError('INTERNAL', {}) : error;
    const { code, message, cure } = shown;
    return {
      content: [{ type: 'text', text: `${message}: ${cure}` }],
      structuredContent: { code, message, cure },
      isError: true,
    };
  }
}
