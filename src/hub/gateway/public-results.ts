/** Rewrites resource URIs in results to public URIs, which callers can read, and removes what only the hub says. */
import { isObject } from '../../json/json-object.ts';
import { withoutHubMeta } from '../protocol/hub-meta.ts';
import { toPublicUri } from './public-names.ts';

type JsonObject = Record<string, unknown>;

/** The same object where nothing has to change. */
export function toPublicResult(connection: string, received: JsonObject): JsonObject {
  const result = withoutHubMeta(received);
  const { content, messages, contents } = result;
  if (contents === undefined && !hasResources(content) && !hasResourceMessages(messages)) return result;
  return {
    ...result,
    ...(Array.isArray(content) ? { content: content.map((block) => toPublicBlock(connection, block)) } : {}),
    ...(Array.isArray(contents) ? { contents: contents.map((resource) => withPublicUri(connection, resource)) } : {}),
    ...(Array.isArray(messages) ? { messages: messages.map((message) => toPublicMessage(connection, message)) } : {}),
  };
}

function hasResources(content: unknown): boolean {
  return Array.isArray(content) && content.some(isResource);
}

function hasResourceMessages(messages: unknown): boolean {
  return Array.isArray(messages) && messages.some((message) => isObject(message) && isResource(message.content));
}

function isResource(block: unknown): boolean {
  return isObject(block) && (block.type === 'resource_link' || block.type === 'resource');
}

function toPublicMessage(connection: string, message: unknown): unknown {
  return isObject(message) ? { ...message, content: toPublicBlock(connection, message.content) } : message;
}

function toPublicBlock(connection: string, block: unknown): unknown {
  if (!isObject(block)) return block;
  if (block.type === 'resource_link') return withPublicUri(connection, block);
  return block.type === 'resource' ? { ...block, resource: withPublicUri(connection, block.resource) } : block;
}

function withPublicUri(connection: string, value: unknown): unknown {
  if (!isObject(value) || typeof value.uri !== 'string') return value;
  return { ...value, uri: toPublicUri(connection, value.uri) };
}
