/** The entry of an instance in `.mcp.json`, and its name in the client's local settings: adding, changing, removing. */
import { join } from 'node:path';
import type { Node } from 'jsonc-parser';
import { getNodeValue } from 'jsonc-parser';
import { agentTokenPrefix } from '../../contract/agents/agent-token.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { FileAddition } from './folder-record.ts';
import {
  buildInsertion,
  buildRemoval,
  findJsonContainer,
  findJsonMember,
  type JsonDocument,
  parseJsonDocument,
} from './json-document.ts';
import { applyEdits, detectLineEnding, type TextEdit } from './text-edit.ts';
import type { FileText } from './user-file.ts';

/** Files that the agents' clients read, relative to the folder. */
export const mcpFile = '.mcp.json';
export const settingsFile = join('.claude', 'settings.local.json');

/** An entry of a file: a named member of the object `container`, or an item of the list `container`. */
export type JsonEntry = {
  readonly container: string;
  readonly type: 'object' | 'array';
  readonly name: string;
  readonly value: unknown;
};

/** How a file must be edited; without edits it has the entry already. `made` is undefined where an existing entry changes. */
export type EntryEdits = { readonly edits: readonly TextEdit[]; readonly made: FileAddition['made'] | undefined };

export function getServerName(instance: string): string {
  return `vp-${instance}`;
}

/** The entry of `.mcp.json`; `routerUrl` ends in `/mcp`. */
export function buildServerEntry(instance: string, routerUrl: string, token: string): JsonEntry {
  const value = { type: 'http', url: routerUrl, headers: { Authorization: `Bearer ${token}` } };
  return { container: 'mcpServers', type: 'object', name: getServerName(instance), value };
}

/** The entry of the client's local settings that lets it start the server without a prompt. */
export function buildEnabledServerEntry(instance: string): JsonEntry {
  const name = getServerName(instance);
  return { container: 'enabledMcpjsonServers', type: 'array', name, value: name };
}

/** The edits that add `entry` unless the file has one of its name. Throws FOLDER_FILE_BROKEN, FOLDER_FILE_SHAPE. */
export function buildAddEdits(file: string, text: FileText, entry: JsonEntry): EntryEdits {
  const document = parseJsonDocument(file, text ?? '');
  const { root } = document;
  const container = findJsonContainer(document, entry.container, entry.type);
  const containerValue = entry.type === 'array' ? [entry.value] : { [entry.name]: entry.value };
  if (!root) {
    const end = detectLineEnding(document.text);
    const content = `${JSON.stringify({ [entry.container]: containerValue }, null, 2).replaceAll('\n', end)}${end}`;
    return { edits: [{ offset: document.text.length, length: 0, content }], made: 'file' };
  }
  if (!container)
    return { edits: [buildInsertion(document, root, entry.container, containerValue)], made: 'container' };
  if (findEntry(container, entry)) return { edits: [], made: undefined };
  return { edits: [buildInsertion(document, container, entry.name, entry.value)], made: 'entry' };
}

function findEntry(container: Node, { type, name }: Pick<JsonEntry, 'type' | 'name'>): Node | undefined {
  return type === 'object' ? findJsonMember(container, name) : container.children?.find(({ value }) => value === name);
}

function findValue(entry: Node | undefined, ...path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, name) => (node?.type === 'object' ? findJsonMember(node, name)?.children?.[1] : undefined),
    entry?.children?.[1],
  );
}

function findServer(document: JsonDocument, name: string): Node | undefined {
  const servers = findJsonContainer(document, 'mcpServers', 'object');
  return servers && findJsonMember(servers, name);
}

function findAuthorization(document: JsonDocument, name: string): Node | undefined {
  const authorization = findValue(findServer(document, name), 'headers', 'Authorization');
  return String(authorization?.value).startsWith(`Bearer ${agentTokenPrefix}`) ? authorization : undefined;
}

/** True when a file has the entry of an instance, with an agent token. */
export function hasServerEntry(file: string, text: FileText, instance: string): boolean {
  return findAuthorization(parseJsonDocument(file, text ?? ''), getServerName(instance)) !== undefined;
}

/**
 * The edits that replace the token of an instance's entry, and its address where one is given; everything else of it stays.
 * Empty where there is no entry. Throws FOLDER_ENTRY_FOREIGN.
 */
export function buildRenewEdits(file: string, text: string, instance: string, token: string, url?: string): TextEdit[] {
  const document = parseJsonDocument(file, text);
  const name = getServerName(instance);
  const server = findServer(document, name);
  if (!server) return [];
  const authorization = findAuthorization(document, name);
  if (!authorization) throw vpError('FOLDER_ENTRY_FOREIGN', { file, name });
  const address = url === undefined ? undefined : findValue(server, 'url');
  return [
    ...buildReplacement(authorization, `Bearer ${token}`),
    ...(address && url !== undefined ? buildReplacement(address, url) : []),
  ];
}

function buildReplacement(node: Node, value: string): TextEdit[] {
  if (getNodeValue(node) === value) return [];
  return [{ offset: node.offset, length: node.length, content: JSON.stringify(value) }];
}

/** The text without `entry`, for a file that was changed since. What vp created around the entry is removed too once it is empty. */
export function removeEntry(file: string, text: string, entry: JsonEntry, made: FileAddition['made']): FileText {
  const document = parseJsonDocument(file, text);
  const container = findJsonContainer(document, entry.container, entry.type);
  const child = container && findEntry(container, entry);
  const withoutChild = container && child ? applyEdits(text, buildRemoval(document, container, child)) : text;
  if (made === 'entry') return withoutChild;
  const documentAfter = parseJsonDocument(file, withoutChild);
  const containerMember = documentAfter.root && findJsonMember(documentAfter.root, entry.container);
  const isEmpty = containerMember?.children?.[1]?.children?.length === 0;
  const withoutContainer =
    documentAfter.root && containerMember && isEmpty
      ? applyEdits(withoutChild, buildRemoval(documentAfter, documentAfter.root, containerMember))
      : withoutChild;
  const hasMore =
    (parseJsonDocument(file, withoutContainer).root?.children?.length ?? 0) > 0 || /\/[/*]/.test(withoutContainer);
  return made === 'file' && !hasMore ? undefined : withoutContainer;
}
