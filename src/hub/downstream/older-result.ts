/** Results as older revisions require them, where structured content and its schema are always objects. */
import { isObject } from '../../json/json-object.ts';

type Result = Readonly<Record<string, unknown>>;

const wrapperMember = 'result';

/** True if the values of the schema need not be objects: they are wrapped for older clients. */
function needsWrapper(outputSchema: unknown): boolean {
  return isObject(outputSchema) && outputSchema.type !== 'object';
}

/** A tool as older clients see it. */
export function toOlderTool<T extends { readonly name: string; readonly outputSchema?: unknown }>(tool: T): T {
  const { name, outputSchema } = tool;
  if (!needsWrapper(outputSchema)) return tool;
  const { $schema, ...schema } = Object(outputSchema);
  // References within the schema start at its own root.
  const base = schema.$id === undefined && hasReference(schema) ? { $id: `urn:tool:${encodeURIComponent(name)}` } : {};
  const wrapped = {
    type: 'object',
    properties: { [wrapperMember]: { ...base, ...schema } },
    required: [wrapperMember],
  };
  return { ...tool, outputSchema: $schema === undefined ? wrapped : { $schema, ...wrapped } };
}

/** The result of a tool call for older clients; the same object where nothing has to change. */
export function toOlderToolResult(result: Result, outputSchema: unknown): Result {
  const { content, structuredContent } = result;
  const isWrapped = structuredContent !== undefined && (!isObject(structuredContent) || needsWrapper(outputSchema));
  if (content !== undefined && !isWrapped) return result;
  const structured = isWrapped ? { structuredContent: { [wrapperMember]: structuredContent } } : {};
  return { content: [], ...result, ...structured };
}

function hasReference(schema: unknown): boolean {
  return /"\$(ref|dynamicRef|recursiveRef)"/.test(JSON.stringify(schema));
}
