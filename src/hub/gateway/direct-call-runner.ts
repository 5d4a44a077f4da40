/**
 * Runs a direct call: notifications and questions of its server go to the client on the call's own stream, and the result
 * is sent as the text that came.
 *
 * Length: the ways in which a call ends are read together, as each ends its exchange once.
 */
import {
  type Implementation,
  ProtocolError,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { parseExactJson } from '../../json/exact-json.ts';
import { isObject } from '../../json/json-object.ts';
import { cutLastBrace, type JsonParts, joinParts } from '../../json/json-parts.ts';
import { stringifyAsSent } from '../../json/sent-text.ts';
import { toNewestResult } from '../downstream/newest-result.ts';
import { toOlderToolResult } from '../downstream/older-result.ts';
import { assertAnswerable } from '../downstream/required-input.ts';
import {
  formatResultParts,
  formatRpcError,
  type RpcError,
  toNewestRpcError,
  toRpcError,
} from '../downstream/rpc-response.ts';
import { budgetKey } from '../protocol/hub-meta.ts';
import type { HubTaskService } from '../tasks/task-service.ts';
import { canClientAnswer } from '../upstream/upstream-call.ts';
import type { CallContext } from './call-context.ts';
import type { CallExchange, SessionCalls } from './call-exchange.ts';
import type { HubCallService } from './call-service.ts';
import type { DirectCall } from './direct-call.ts';
import type { McpResult } from './pending-calls.ts';
import { withProtocolErrors } from './protocol-error.ts';

type RunDependencies = {
  readonly calls: HubCallService;
  readonly tasks: HubTaskService;
  readonly server: Implementation;
  /** Calls of the client's session, which carry requests to the client; undefined without a session. */
  readonly sessionCalls: SessionCalls | undefined;
  readonly onError: (error: unknown) => void;
  /** The schema of a tool's structured content, as its server lists it. */
  findOutputSchema(call: DirectCall): Promise<unknown>;
};

/** Rounds of questions of a server of the newest era to a client of an older one. */
const maxRounds = 8;

/** Ends the exchange in every case. Never rejects. */
export async function runDirectCall(
  dependencies: RunDependencies,
  exchange: CallExchange,
  call: DirectCall,
): Promise<void> {
  const { sessionCalls } = dependencies;
  try {
    const result = await withProtocolErrors(runRounds(dependencies, exchange, call), dependencies.onError);
    const parts = toResultParts(dependencies, call, result);
    exchange.end(formatResultParts(call.id, parts instanceof Promise ? await parts : parts));
  } catch (error) {
    const rpcError = toCallError(call, error);
    exchange.end(formatRpcError(call.id, rpcError), getErrorStatus(call, rpcError));
  } finally {
    sessionCalls?.remove(exchange);
  }
}

/** Throws a ProtocolError for a result that the client cannot continue with. A promise only where a schema is needed. */
function toResultParts(
  dependencies: RunDependencies,
  call: DirectCall,
  sent: McpResult,
): JsonParts | Promise<JsonParts> {
  const { calls, server } = dependencies;
  const warning = calls.getBudgetWarning(sent);
  const hubMeta = warning && { [budgetKey]: warning };
  const sentParts = calls.getResultParts(sent) ?? [JSON.stringify(sent)];
  const isMerged = hubMeta && sent._meta !== undefined;
  const addedMeta = isMerged ? undefined : hubMeta;
  const [parts, result] = isMerged ? mergeMeta(sentParts, sent, hubMeta) : [sentParts, sent];
  if (call.isModern) {
    if (result.resultType === 'input_required') assertAnswerable(call.method, result, call.context.capabilities);
    return toNewestParts(call, result, parts, server, isMerged ? undefined : hubMeta);
  }
  if (call.method !== 'tools/call' || call.task) return withMeta(parts, addedMeta);
  const toParts = (outputSchema: unknown): JsonParts => {
    const olderResult = toOlderToolResult(result, outputSchema);
    return withMeta(olderResult === result ? parts : [JSON.stringify(olderResult)], addedMeta);
  };
  if (result.structuredContent === undefined) return toParts(undefined);
  return dependencies.findOutputSchema(call).then(toParts);
}

/** Numbers of the text stay as they were sent. */
function mergeMeta(parts: JsonParts, result: McpResult, added: McpResult): [JsonParts, McpResult] {
  const text = joinParts(parts);
  const exact = parseExactJson(text) ?? JSON.parse(text);
  const withAdded = (value: McpResult): McpResult => ({ ...value, _meta: { ...Object(value._meta), ...added } });
  return [[JSON.stringify(withAdded(Object(exact)))], withAdded(result)];
}

/** The text of a result without `_meta`, with it. */
function withMeta(parts: JsonParts, meta: McpResult | undefined): JsonParts {
  if (!meta) return parts;
  return [...cutLastBrace(parts), `${isEmptyObject(parts) ? '' : ','}"_meta":${JSON.stringify(meta)}}`];
}

function isEmptyObject([first, ...others]: JsonParts): boolean {
  return first === '{}' && others.length === 0;
}

/** The text is spliced where possible: numbers stay as they were sent. */
function toNewestParts(
  { method }: DirectCall,
  result: McpResult,
  parts: JsonParts,
  server: Implementation,
  hubMeta: McpResult | undefined,
): JsonParts {
  const { resultType, _meta: meta } = result;
  // A server that names itself in the result is not overridden.
  const hasServerInfo = isObject(meta) && meta[SERVER_INFO_META_KEY] !== undefined;
  const lacksContent = method === 'tools/call' && result.content === undefined;
  if (isEmptyObject(parts) || method === 'resources/read' || lacksContent || (meta !== undefined && !hasServerInfo)) {
    const text = joinParts(parts);
    const exact = parseExactJson(text);
    const received = { ...(isObject(exact) ? exact : result), ...(hubMeta && { _meta: hubMeta }) };
    return [stringifyAsSent(toNewestResult(method, withContent(method, received), server), received, text)];
  }
  const typeMember = resultType === undefined ? ',"resultType":"complete"' : '';
  const serverMember = hasServerInfo ? '' : formatServerMember(server, hubMeta);
  return [...cutLastBrace(parts), `${typeMember}${serverMember}}`];
}

const serverMembers = new WeakMap<Implementation, string>();

/** Written once for each server: nearly all results have no other metadata. */
function formatServerMember(server: Implementation, hubMeta: McpResult | undefined): string {
  const format = (): string => `,"_meta":${JSON.stringify({ ...hubMeta, [SERVER_INFO_META_KEY]: server })}`;
  if (hubMeta) return format();
  const member = serverMembers.get(server) ?? format();
  serverMembers.set(server, member);
  return member;
}

function withContent(method: string, result: McpResult): McpResult {
  const { resultType = 'complete' } = result;
  const isComplete = method === 'tools/call' && resultType === 'complete';
  return isComplete ? { content: [], ...result } : result;
}

/** The newest revision has no error that asks for a form at a URL. */
function toCallError({ isModern }: DirectCall, error: unknown): RpcError {
  const rpcError = isModern ? toNewestRpcError(error) : toRpcError(error);
  if (!isModern || rpcError.code !== ProtocolErrorCode.UrlElicitationRequired) return rpcError;
  const message = `the server requires input in a way that this revision does not have: ${rpcError.message}`;
  return { code: ProtocolErrorCode.InternalError, message };
}

function getErrorStatus({ isModern }: DirectCall, { code }: RpcError): number {
  return isModern && code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
}

/** Asks a client of an older era for the input that a server of the newest era requires. */
async function runRounds(
  { calls, tasks, sessionCalls }: RunDependencies,
  exchange: CallExchange,
  call: DirectCall,
): Promise<McpResult> {
  const ask =
    sessionCalls && ((method: string, params: Record<string, unknown>) => sessionCalls.ask(exchange, method, params));
  const context: CallContext = {
    ...call.context,
    signal: exchange.signal,
    notify: (method, params) => exchange.notify(method, params),
    ask,
  };
  const send = (roundContext: CallContext): Promise<McpResult> => {
    if (call.method === 'tools/call') return calls.callTool(roundContext, call);
    if (call.method === 'prompts/get') return calls.getPrompt(roundContext, call);
    if (call.method === 'completion/complete') return calls.complete(roundContext, call.params);
    if (call.method === 'resources/read') return calls.readResource(roundContext, call);
    return tasks.send(roundContext, call);
  };
  let result = await send(context);
  if (call.isModern) return result;
  for (let round = 0; result.resultType === 'input_required'; round += 1) {
    const problem = round < maxRounds ? findProblem(context, result) : 'the server asked too often';
    if (problem !== undefined) return createUnansweredResult(call, problem);
    try {
      const inputResponses = await answerAll(context, parseExactResult(calls, result));
      const { requestState } = result;
      result = await send({
        ...context,
        inputResponses,
        requestState: typeof requestState === 'string' ? requestState : undefined,
      });
    } catch (error) {
      if (exchange.signal.aborted || !(error instanceof UnansweredError)) throw error;
      return createUnansweredResult(call, error.message);
    }
  }
  return result;
}

/** With the numbers as the server sent them: questions are only sent on. */
function parseExactResult(calls: HubCallService, result: McpResult): McpResult {
  const exact = parseExactJson(calls.getResultText(result) ?? '');
  return isObject(exact) ? exact : result;
}

class UnansweredError extends Error {}

type InputRequest = { readonly method: string; readonly params: Record<string, unknown> };

function listInputRequests({ inputRequests }: McpResult): [key: string, request: InputRequest][] {
  if (!isObject(inputRequests)) return [];
  return Object.entries(inputRequests).map(([key, request]) => {
    const { method, params } = isObject(request) ? request : {};
    return [key, { method: String(method), params: isObject(params) ? params : {} }];
  });
}

function findProblem({ ask, capabilities }: CallContext, result: McpResult): string | undefined {
  const refused = listInputRequests(result).find(([, { method }]) => !ask || !canClientAnswer(capabilities, method));
  return refused && `the client does not support ${refused[1].method}`;
}

async function answerAll({ ask }: CallContext, result: McpResult): Promise<Record<string, unknown>> {
  const answers = listInputRequests(result).map(async ([key, { method, params }]) => {
    // Clients of older eras need an id for forms at a URL.
    const isUrlForm = method === 'elicitation/create' && params.mode === 'url' && params.elicitationId === undefined;
    const fullParams = isUrlForm ? { ...params, elicitationId: crypto.randomUUID() } : params;
    const answer = ask?.(method, fullParams);
    const rejected = (error: unknown): never => {
      throw new UnansweredError(error instanceof Error ? error.message : 'the client gave no answer');
    };
    return [key, await answer?.catch(rejected)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** As servers of older eras say it: a failed tool, or an error. */
function createUnansweredResult({ method }: DirectCall, problem: string): McpResult {
  const text = `The input that this call needs was not given: ${problem}`;
  if (method === 'tools/call') return { content: [{ type: 'text', text }], isError: true };
  throw new ProtocolError(ProtocolErrorCode.InternalError, text);
}
