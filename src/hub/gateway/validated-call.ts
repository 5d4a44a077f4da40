/** Calls that the quick look of `direct-call.ts` does not accept: validated by the schemas of the protocol. */
import { type JSONRPCRequest, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';
import { parseRpcParams } from '../downstream/request-params.ts';
import type { TaskEra } from '../tasks/task-ids.ts';
import { isTaskMethod } from '../tasks/task-results.ts';
import type { DirectCall, DirectContext } from './direct-call.ts';

/** `era` is that of the client. */
export function isDirectCallMethod(method: string, era: TaskEra): method is DirectCall['method'] {
  return (
    isTaskMethod(method, era) ||
    method === 'tools/call' ||
    method === 'prompts/get' ||
    method === 'resources/read' ||
    method === 'completion/complete'
  );
}

/** Throws InvalidParams. */
export function createCall(
  { id, params }: Pick<JSONRPCRequest, 'id' | 'params'>,
  method: DirectCall['method'],
  context: DirectContext,
  isModern: boolean,
): DirectCall {
  const base = { id, context, isModern };
  if (method === 'tasks/get' || method === 'tasks/result' || method === 'tasks/cancel' || method === 'tasks/update')
    return { ...base, method, taskId: parseTaskId(method, params) };
  if (method === 'tools/call') {
    const { name } = parseRpcParams(method, params);
    const args = isObject(params?.arguments) ? params.arguments : undefined;
    const task = isModern || !isObject(params?.task) ? undefined : params.task;
    return { ...base, method, name, arguments: args, task };
  }
  if (method === 'prompts/get') {
    const { name, arguments: parsed } = parseRpcParams(method, params);
    return { ...base, method, name, arguments: parsed && getSentArguments(params?.arguments, parsed) };
  }
  if (method === 'resources/read') return { ...base, method, uri: parseRpcParams(method, params).uri };
  const parsed = parseRpcParams(method, params);
  const { context: completion } = parsed;
  if (!completion?.arguments) return { ...base, method, params: parsed };
  const sent = isObject(params?.context) ? params.context.arguments : undefined;
  const args = getSentArguments(sent, completion.arguments);
  return { ...base, method, params: { ...parsed, context: { ...completion, arguments: args } } };
}

/** As they were sent: the schema omits a member `__proto__`. */
function getSentArguments(sent: unknown, parsed: Record<string, string>): Record<string, string> {
  const entries = Object.entries(isObject(sent) ? sent : parsed).filter((entry) => typeof entry[1] === 'string');
  return Object.fromEntries(entries) as Record<string, string>;
}

function parseTaskId(method: string, params: JSONRPCRequest['params']): string {
  const { taskId } = params ?? {};
  if (typeof taskId === 'string') return taskId;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid ${method} request: taskId: must be text`);
}

/** What a client of the newest revision answers to a server that required input. Throws InvalidParams. */
export function parseAnswers({
  inputResponses,
  requestState,
}: Readonly<Record<string, unknown>>): Pick<DirectContext, 'inputResponses' | 'requestState'> {
  if (requestState !== undefined && typeof requestState !== 'string')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
      reason: 'invalid_request_state',
    });
  if (inputResponses === undefined) return { inputResponses, requestState };
  // Each answer must be a bare result: an answer that is wrapped in a response is requested again.
  const answers = isObject(inputResponses) ? Object.entries(inputResponses) : [];
  const bareAnswers = answers.filter(
    ([, answer]) => isObject(answer) && !('method' in answer) && !('result' in answer),
  );
  return { inputResponses: Object.fromEntries(bareAnswers), requestState };
}
