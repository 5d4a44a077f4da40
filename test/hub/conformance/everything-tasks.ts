/**
 * The tasks that the conformance suite wants of a server (SEP-2663): in front of a server of the newest era, because the official
 * one has no tasks. Everything else is passed on.
 */
import { isObject } from '../../../src/json/json-object.ts';
import { createFormSchema } from './fixtures.ts';

type JsonObject = Record<string, unknown>;
type Handle = (request: Request) => Promise<Response>;
type Message = { readonly id: unknown; readonly method: string; readonly params: JsonObject };
type Task = { readonly state: JsonObject; finish(outcome: JsonObject): void; pending: JsonObject };

export const tasksExtension = 'io.modelcontextprotocol/tasks';
/** The tools that run as tasks where the client knows these, and one that never does. */
export const jobNames = [
  'greet',
  'slow_compute',
  'failing_job',
  'protocol_error_job',
  'confirm_delete',
  'multi_input',
  'test_tool_with_task',
];

/** The text of a job that is called without a task. */
export function describeJob(name: string, args: JsonObject): string {
  if (name === 'greet') return `Hello, ${String(args.name)}!`;
  return name === 'slow_compute' ? `computed ${String(args.label)}` : 'only as a task';
}

const jobMs = 1000;
const methods = new Set(['tasks/get', 'tasks/update', 'tasks/cancel', 'tools/call']);
const requiredCapabilities = { extensions: { [tasksExtension]: {} } };

const textResult = (text: string, isError = false): JsonObject => ({ content: [{ type: 'text', text }], isError });
const elicitation = (message: string, properties: Record<string, object>): JsonObject => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', ...createFormSchema(properties) } },
});
const confirmation = elicitation('Really?', { confirm: { type: 'boolean' } });

export function withTasks(handle: Handle): Handle {
  const tasks = new Map<string, Task>();
  const startTask = (pending: JsonObject = {}): Task => {
    const atTime = new Date().toISOString();
    const state: JsonObject = {
      taskId: crypto.randomUUID(),
      status: Object.keys(pending).length > 0 ? 'input_required' : 'working',
      createdAt: atTime,
      lastUpdatedAt: atTime,
      ttlMs: 60_000,
      pollIntervalMs: 200,
    };
    const finish = (outcome: JsonObject): void => {
      if (state.status === 'working') Object.assign(state, outcome, { lastUpdatedAt: new Date().toISOString() });
    };
    const task = { state, finish, pending };
    tasks.set(String(state.taskId), task);
    return task;
  };
  const finishLater = (ms: number, outcome: JsonObject): JsonObject => {
    const task = startTask();
    setTimeout(() => task.finish(outcome), ms).unref();
    return { resultType: 'task', ...task.state };
  };
  const callTool = ({ params }: Message): JsonObject | undefined => {
    const { name, arguments: args, inputResponses } = params;
    const seconds = Number(Object(args).seconds);
    const result = textResult(`computed ${String(Object(args).label)}`);
    if (name === 'slow_compute' && seconds > 0) return finishLater(seconds * 1000, { status: 'completed', result });
    if (name === 'failing_job')
      return finishLater(jobMs, { status: 'completed', result: textResult('it failed', true) });
    if (name === 'protocol_error_job')
      return finishLater(jobMs, { status: 'failed', error: { code: -32603, message: 'the job crashed' } });
    if (name === 'confirm_delete') return { resultType: 'task', ...startTask({ confirm: confirmation }).state };
    if (name === 'multi_input')
      return { resultType: 'task', ...startTask({ first: confirmation, second: confirmation }).state };
    if (name !== 'test_tool_with_task') return undefined;
    const user = Object(inputResponses).user_name;
    if (user === undefined)
      return {
        resultType: 'input_required',
        inputRequests: { user_name: elicitation('Your name?', { name: { type: 'string' } }) },
      };
    return finishLater(jobMs / 10, { status: 'completed', result: textResult(`Hello ${Object(user).content?.name}`) });
  };
  const answerTask = ({ method, params }: Message): JsonObject | undefined => {
    const task = tasks.get(String(params.taskId));
    if (!task) return undefined;
    const { state } = task;
    if (method === 'tasks/get') {
      const isWaiting = state.status === 'input_required';
      return { resultType: 'complete', ...state, ...(isWaiting ? { inputRequests: task.pending } : {}) };
    }
    if (method === 'tasks/cancel' && (state.status === 'working' || state.status === 'input_required'))
      state.status = 'cancelled';
    if (method === 'tasks/update') {
      const answered = Object.keys(Object(params.inputResponses));
      task.pending = Object.fromEntries(Object.entries(task.pending).filter(([key]) => !answered.includes(key)));
      if (Object.keys(task.pending).length === 0 && state.status === 'input_required') {
        state.status = 'working';
        task.finish({ status: 'completed', result: textResult('confirmed') });
      }
    }
    return { resultType: 'complete' };
  };
  return async (request) => {
    const message = request.method === 'POST' ? toMessage(await request.clone().json()) : undefined;
    if (!message) return handle(request);
    const { id, method, params } = message;
    const name = request.headers.get('mcp-name');
    if (method !== 'tools/call' && name !== params.taskId)
      return fail(id, -32020, 'the header Mcp-Name and the body disagree');
    const declared = Object(Object(params._meta)['io.modelcontextprotocol/clientCapabilities']).extensions;
    if (Object(declared)[tasksExtension] === undefined) {
      const isOptional = method === 'tools/call' && !requiredTools.has(String(params.name));
      return isOptional ? handle(request) : fail(id, -32021, 'tasks are required', { requiredCapabilities });
    }
    const result = method === 'tools/call' ? callTool(message) : answerTask(message);
    if (result) return Response.json({ jsonrpc: '2.0', id, result });
    return method === 'tools/call' ? handle(request) : fail(id, -32602, 'no such task', undefined, 200);
  };
}

const requiredTools = new Set(['failing_job', 'test_tool_with_task']);

function toMessage(body: unknown): Message | undefined {
  const { id, method, params } = Object(body);
  return methods.has(method) && isObject(params) ? { id, method, params } : undefined;
}

function fail(id: unknown, code: number, message: string, data?: JsonObject, status = 400): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } }, { status });
}
