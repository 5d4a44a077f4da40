/** What a scripted server lists, reads and completes. */
import { parseExact } from './exact-text.ts';
import { RpcError } from './rpc-error.ts';
import { type JsonObject, newest, type Revision } from './script.ts';
import { optionalTool, requiredTool, type TaskSupport } from './scripted-tasks.ts';

const pageSize = 2;
const names = ['alpha', 'beta', 'gamma', 'delta'];
const uris = ['note://one', 'note://two', 'note://three'];

/** `taskSupport` is that of the tools that may run as tasks. */
export function list(method: string, { cursor }: JsonObject, taskSupport: TaskSupport): JsonObject {
  const start = cursor === undefined ? 0 : Number(cursor);
  const member = method === 'resources/templates/list' ? 'resourceTemplates' : String(method.split('/')[0]);
  const items = member === 'resources' ? uris : names;
  const page = items.slice(start, start + pageSize).map((name) => createItem(member, name, taskSupport));
  const next = start + pageSize < items.length ? { nextCursor: String(start + pageSize) } : {};
  return { [member]: page, ...next };
}

function createItem(member: string, name: string, taskSupport: TaskSupport): JsonObject {
  const numbers = parseExact('[1.5,null,9007199254740993,1.0,-0,1E5,12345678901234567890.5,-1.50e-7]');
  const shared = { title: `Title of ${name}`, description: `About ${name}`, _meta: { 'example.com/n': numbers } };
  if (member === 'resources') return { uri: name, name, mimeType: 'text/plain', size: parseExact('3.0'), ...shared };
  if (member === 'resourceTemplates') return { uriTemplate: `${name}://{id}`, name, ...shared };
  if (member === 'prompts') return { name, arguments: [{ name: 'whom', required: false }], ...shared };
  const inputSchema = { type: 'object', properties: { steps: { type: 'array', maxItems: parseExact('1.0e3') } } };
  const execution = taskSupport === 'none' ? {} : findExecution(name, taskSupport);
  return { name, inputSchema, annotations: { readOnlyHint: true, title: name }, ...execution, ...shared };
}

function findExecution(name: string, taskSupport: TaskSupport): JsonObject {
  if (name === optionalTool) return { execution: { taskSupport: 'optional' } };
  return name === requiredTool
    ? { execution: { taskSupport: taskSupport === 'needed' ? 'required' : 'optional' } }
    : {};
}

export function readResource({ uri }: JsonObject, revision: Revision): JsonObject {
  const code = revision === newest ? -32602 : -32002;
  if (uri === 'alpha://missing') throw new RpcError({ code, message: 'Resource not found', data: { uri } });
  return {
    contents: [
      { uri, mimeType: 'text/plain', text: `text of it`, _meta: { 'example.com/n': 1 } },
      { uri: 'note://two', blob: 'AAAA' },
    ],
  };
}

export function getPrompt({ name, arguments: args }: JsonObject): JsonObject {
  return {
    description: `About ${String(name)}`,
    messages: [
      { role: 'user', content: { type: 'text', text: JSON.stringify(args ?? null) } },
      { role: 'assistant', content: { type: 'resource', resource: { uri: 'note://one', text: 'one' } } },
    ],
  };
}

export function completeArgument({ argument, context }: JsonObject): JsonObject {
  const { name, value } = Object(argument);
  return { completion: { values: [`${name}=${value}`, JSON.stringify(context ?? null)], total: 12, hasMore: true } };
}
