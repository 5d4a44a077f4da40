/** `Mcp-Param-…`: headers that repeat arguments (SEP-2243), checked for callers and created for servers. */
import type { Tool } from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';
import { decodeHeaderValue, encodeHeaderValue } from '../protocol/header-value.ts';

type Declaration = { readonly path: readonly string[]; readonly header: string };

const declarations = new WeakMap<object, readonly Declaration[]>();
const prefix = 'Mcp-Param-';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const maxDepth = 16;

/** The arguments that a tool's callers repeat in headers. */
function getDeclarations({ inputSchema }: Pick<Tool, 'inputSchema'>): readonly Declaration[] {
  const cached = declarations.get(inputSchema);
  if (cached) return cached;
  const toolDeclarations = [...findDeclarations(inputSchema, [])];
  declarations.set(inputSchema, toolDeclarations);
  return toolDeclarations;
}

function* findDeclarations(schema: unknown, path: readonly string[]): Generator<Declaration> {
  if (typeof schema !== 'object' || schema === null || path.length > maxDepth) return;
  const header = 'x-mcp-header' in schema ? schema['x-mcp-header'] : undefined;
  if (typeof header === 'string' && token.test(header) && path.length > 0) yield { path, header };
  const properties = 'properties' in schema ? schema.properties : undefined;
  if (typeof properties !== 'object' || properties === null) return;
  for (const [name, property] of Object.entries(properties)) yield* findDeclarations(property, [...path, name]);
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    root,
  );
}

function toHeaderText(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

export function createParamHeaders(tool: Pick<Tool, 'inputSchema'>, args: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of getDeclarations(tool)) {
    const text = toHeaderText(valueAt(args, path));
    if (text !== undefined) headers[prefix + header] = encodeHeaderValue(text);
  }
  return headers;
}

/** Returns the header that disagrees with the body, otherwise undefined. */
export function findParamMismatch(
  tool: Pick<Tool, 'inputSchema'>,
  args: unknown,
  headers: Pick<Headers, 'get'>,
): string | undefined {
  const mismatch = getDeclarations(tool).find(({ path, header }) => {
    const text = toHeaderText(valueAt(args, path));
    if (text === undefined) return false;
    const value = headers.get(prefix + header);
    const decodedValue = value === null ? undefined : decodeHeaderValue(value);
    return (
      decodedValue !== text &&
      !(decodedValue !== undefined && typeof valueAt(args, path) === 'number' && Number(decodedValue) === Number(text))
    );
  });
  return mismatch && prefix + mismatch.header;
}
