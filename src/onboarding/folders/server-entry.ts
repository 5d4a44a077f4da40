/** The entry of an instance in `.mcp.json`, and its name in the client's local settings: what is put in, changed, taken out. */
import type { Node } from 'jsonc-parser';
import { getNodeValue } from 'jsonc-parser';
import { agentTokenPrefix } from '../../contract/agent-token.ts';
import { vpError } from '../../errors/vp-error.ts';
import { containerOf, insertion, type JsonDocument, memberOf, readDocument, removal } from './json-document.ts';
import type { FileText } from './own-file.ts';
import type { Added } from './record.ts';
import { edited, lineEndOf, type TextEdit } from './text-edit.ts';

/** What is to stand in a file: a member of `container` (named), or an item of it. */
export type Entry = {
  readonly container: string;
  readonly type: 'object' | 'array';
  readonly name: string;
  readonly value: unknown;
};

/** How a file must be edited. No edits: it stands there already. `made` is undefined where what stands there is changed. */
export type EntryEdits = { readonly edits: readonly TextEdit[]; readonly made: Added['made'] | undefined };

/** The name of an instance's entry. */
export function entryName(instance: string): string {
  return `vp-${instance}`;
}

/** The entry of `.mcp.json`; `routerUrl` ends in `/mcp`. */
export function serverEntry(instance: string, routerUrl: string, token: string): Entry {
  const value = { type: 'http', url: routerUrl, headers: { Authorization: `Bearer ${token}` } };
  return { container: 'mcpServers', type: 'object', name: entryName(instance), value };
}

/** The entry of the client's local settings, which lets it start the server without asking. */
export function enabledEntry(instance: string): Entry {
  const name = entryName(instance);
  return { container: 'enabledMcpjsonServers', type: 'array', name, value: name };
}

/** The edit that puts `entry` into a file that has none of its name. Throws FOLDER_FILE_BROKEN, FOLDER_FILE_SHAPE. */
export function editsToAdd(file: string, text: FileText, entry: Entry): EntryEdits {
  const document = readDocument(file, text ?? '');
  const { root } = document;
  const container = containerOf(document, entry.container, entry.type);
  const alone = entry.type === 'array' ? [entry.value] : { [entry.name]: entry.value };
  if (!root) {
    const end = lineEndOf(document.text);
    const content = `${JSON.stringify({ [entry.container]: alone }, null, 2).replaceAll('\n', end)}${end}`;
    return { edits: [{ offset: document.text.length, length: 0, content }], made: 'file' };
  }
  if (!container) return { edits: [insertion(document, root, entry.container, alone)], made: 'container' };
  if (childOf(container, entry)) return { edits: [], made: undefined };
  return { edits: [insertion(document, container, entry.name, entry.value)], made: 'entry' };
}

function childOf(container: Node, { type, name }: Pick<Entry, 'type' | 'name'>): Node | undefined {
  return type === 'object' ? memberOf(container, name) : container.children?.find(({ value }) => value === name);
}

/** The value of the member `path` below an entry of `.mcp.json`. */
function valueAt(entry: Node | undefined, ...path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, name) => (node?.type === 'object' ? memberOf(node, name)?.children?.[1] : undefined),
    entry?.children?.[1],
  );
}

function serverIn(document: JsonDocument, name: string): Node | undefined {
  const servers = containerOf(document, 'mcpServers', 'object');
  return servers && memberOf(servers, name);
}

function authorizationOf(document: JsonDocument, name: string): Node | undefined {
  const authorization = valueAt(serverIn(document, name), 'headers', 'Authorization');
  return String(authorization?.value).startsWith(`Bearer ${agentTokenPrefix}`) ? authorization : undefined;
}

/** True when a file has the entry of an instance, with a token. */
export function hasServer(file: string, text: FileText, instance: string): boolean {
  return authorizationOf(readDocument(file, text ?? ''), entryName(instance)) !== undefined;
}

/**
 * The edits that bring the entry of an instance to another token, and to another address where one is given; everything
 * else of it stays. Empty where there is no entry. Throws FOLDER_ENTRY_FOREIGN.
 */
export function editsToRenew(file: string, text: string, instance: string, token: string, url?: string): TextEdit[] {
  const document = readDocument(file, text);
  const name = entryName(instance);
  const server = serverIn(document, name);
  if (!server) return [];
  const authorization = authorizationOf(document, name);
  if (!authorization) throw vpError('FOLDER_ENTRY_FOREIGN', { file, name });
  const address = url === undefined ? undefined : valueAt(server, 'url');
  return [
    ...replacing(authorization, `Bearer ${token}`),
    ...(address && url !== undefined ? replacing(address, url) : []),
  ];
}

function replacing(node: Node, value: string): TextEdit[] {
  if (getNodeValue(node) === value) return [];
  return [{ offset: node.offset, length: node.length, content: JSON.stringify(value) }];
}

/** The text without `entry`, of a file that was changed since: what is ours around it goes too, when nothing else is in it. */
export function withoutEntry(file: string, text: string, entry: Entry, made: Added['made']): FileText {
  const document = readDocument(file, text);
  const container = containerOf(document, entry.container, entry.type);
  const child = container && childOf(container, entry);
  const rest = container && child ? edited(text, removal(document, container, child)) : text;
  if (made === 'entry') return rest;
  const emptied = readDocument(file, rest);
  const left = emptied.root && memberOf(emptied.root, entry.container);
  const isEmpty = left?.children?.[1]?.children?.length === 0;
  const bare = emptied.root && left && isEmpty ? edited(rest, removal(emptied, emptied.root, left)) : rest;
  const hasMore = (readDocument(file, bare).root?.children?.length ?? 0) > 0 || /\/[/*]/.test(bare);
  return made === 'file' && !hasMore ? undefined : bare;
}
