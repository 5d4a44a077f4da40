/** `Mcp-Param-…`: headers that mirror arguments (SEP-2243), compared with the body here and made for the server there. */
import type { Tool } from '@modelcontextprotocol/server';

type Declaration = { readonly path: readonly string[]; readonly header: string };

const declarations = new WeakMap<object, readonly Declaration[]>();
const prefix = 'Mcp-Param-';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const deepest = 16;

/** The arguments of a tool that its callers mirror in headers. */
function declaredBy({ inputSchema }: Pick<Tool, 'inputSchema'>): readonly Declaration[] {
  const known = declarations.get(inputSchema);
  if (known) return known;
  const found = [...declaredIn(inputSchema, [])];
  declarations.set(inputSchema, found);
  return found;
}

function* declaredIn(schema: unknown, path: readonly string[]): Generator<Declaration> {
  if (typeof schema !== 'object' || schema === null || path.length > deepest) return;
  const header = 'x-mcp-header' in schema ? schema['x-mcp-header'] : undefined;
  if (typeof header === 'string' && token.test(header) && path.length > 0) yield { path, header };
  const properties = 'properties' in schema ? schema.properties : undefined;
  if (typeof properties !== 'object' || properties === null) return;
  for (const [name, property] of Object.entries(properties)) yield* declaredIn(property, [...path, name]);
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isMembers(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** Printable ASCII goes as it is, everything else (a CR LF before all) in the encoded form. */
function encoded(value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value) && value.trim() === value && !value.startsWith('=?base64?');
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

function decoded(value: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : undefined;
}

/** The headers that a call carries to a server of the newest era. */
export function paramHeaders(tool: Pick<Tool, 'inputSchema'>, args: unknown): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, header } of declaredBy(tool)) {
    const text = textOf(valueAt(args, path));
    if (text !== undefined) found[prefix + header] = encoded(text);
  }
  return found;
}

/** The header that disagrees with the body; undefined where all agree. */
export function paramMismatch(tool: Pick<Tool, 'inputSchema'>, args: unknown, headers: Headers): string | undefined {
  const wrong = declaredBy(tool).find(({ path, header }) => {
    const text = textOf(valueAt(args, path));
    if (text === undefined) return false;
    const value = headers.get(prefix + header);
    const told = value === null ? undefined : decoded(value);
    return (
      told !== text && !(told !== undefined && typeof valueAt(args, path) === 'number' && Number(told) === Number(text))
    );
  });
  return wrong && prefix + wrong.header;
}
