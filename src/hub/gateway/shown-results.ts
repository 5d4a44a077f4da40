/** Results as callers get them: URIs of resources are told in the form that they can be read by. */
import { shownUri } from './names.ts';

type Members = Record<string, unknown>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A result of `tools/call`, `prompts/get` or `resources/read`. */
export function shownResult(connection: string, result: Members): Members {
  const { content, messages, contents } = result;
  return {
    ...result,
    ...(Array.isArray(content) ? { content: content.map((block) => shownBlock(connection, block)) } : {}),
    ...(Array.isArray(contents) ? { contents: contents.map((one) => withShownUri(connection, one)) } : {}),
    ...(Array.isArray(messages) ? { messages: messages.map((message) => shownMessage(connection, message)) } : {}),
  };
}

function shownMessage(connection: string, message: unknown): unknown {
  return isMembers(message) ? { ...message, content: shownBlock(connection, message.content) } : message;
}

function shownBlock(connection: string, block: unknown): unknown {
  if (!isMembers(block)) return block;
  if (block.type === 'resource_link') return withShownUri(connection, block);
  return block.type === 'resource' ? { ...block, resource: withShownUri(connection, block.resource) } : block;
}

function withShownUri(connection: string, thing: unknown): unknown {
  if (!isMembers(thing) || typeof thing.uri !== 'string') return thing;
  return { ...thing, uri: shownUri(connection, thing.uri) };
}
