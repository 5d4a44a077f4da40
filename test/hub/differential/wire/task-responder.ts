/** The responses of a scripted server to requests about tasks, and to calls that start one. */
import { pickForeign, RpcError } from './rpc-error.ts';
import { type JsonObject, newest, type Outlet, type Revision } from './script.ts';
import {
  createResult,
  describeNewestTask,
  describeTask,
  getTaskQuestion,
  isEnded,
  optionalTool,
  requiredTool,
  type ScriptedTask,
  type ScriptedTasks,
  TaskError,
  type TaskSupport,
  tasksExtension,
  withRelation,
} from './scripted-tasks.ts';

type TaskWorld = {
  readonly tasks: ScriptedTasks;
  readonly taskSupport: TaskSupport;
  notify(change: { readonly task: ScriptedTask }): void;
};

type TaskRequest = {
  readonly method: string;
  readonly params: JsonObject;
  readonly text: string;
  readonly outlet: Outlet;
};

type AskForm = (params: JsonObject, outlet: Outlet) => Promise<unknown>;

export class TaskResponder {
  readonly #revision: Revision;
  readonly #owner: object;
  readonly #world: TaskWorld;
  readonly #ask: AskForm;

  /** `owner` is told of the state of its tasks. */
  constructor(revision: Revision, owner: object, world: TaskWorld, ask: AskForm) {
    this.#revision = revision;
    this.#owner = owner;
    this.#world = world;
    this.#ask = ask;
  }

  end(key: string, status: 'completed' | 'failed'): void {
    const task = this.#world.tasks.end(key, status);
    if (task) this.#world.notify({ task });
  }

  /** Undefined for a request that has nothing to do with tasks. */
  async respond(request: TaskRequest, capabilities: JsonObject): Promise<JsonObject | undefined> {
    const { method, params } = request;
    if (this.#world.taskSupport === 'none') return undefined;
    try {
      if (method === 'tools/call') return this.#callTool(request, capabilities);
      if (!method.startsWith('tasks/')) return undefined;
      return this.#revision === newest ? this.#respondNewest(method, params) : await this.#respondOlder(request);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      throw new RpcError({ code: -32602, message: error.message });
    }
  }

  #callTool({ params, text }: TaskRequest, { extensions }: JsonObject): JsonObject | undefined {
    const { tasks, taskSupport } = this.#world;
    const { name, arguments: args, task: taskParams } = params;
    if (name !== optionalTool && name !== requiredTool) return undefined;
    const isModern = this.#revision === newest;
    const knowsTasks = (isModern ? Object(extensions)[tasksExtension] : taskParams) !== undefined;
    if (name === optionalTool)
      return knowsTasks ? this.#describeStart(tasks.start(this.#owner, Object(args), text)) : undefined;
    if (!knowsTasks && taskSupport === 'needed')
      throw new RpcError({
        code: isModern ? -32021 : -32601,
        message: 'the tool runs as a task only',
        data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
      });
    // Its tasks are at their end when their client looks for the first time.
    const task = tasks.start(this.#owner, { ...Object(args), asks: false }, text);
    const started = this.#describeStart(task);
    tasks.end(task.key, 'completed');
    if (knowsTasks) return started;
    return { ...createResult(task), ...(isModern ? { resultType: 'complete' } : {}) };
  }

  #describeStart(task: ScriptedTask): JsonObject {
    const state = describeTask(task, this.#revision);
    const meta = { _meta: { 'example.com/sent': task.payload } };
    return this.#revision === newest ? { resultType: 'task', ...state, ...meta } : { task: state, ...meta };
  }

  async #respondOlder({ method, params, outlet }: TaskRequest): Promise<JsonObject> {
    const { tasks } = this.#world;
    if (method === 'tasks/list') return tasks.list(params);
    const task = tasks.find(params.taskId);
    if (method === 'tasks/get')
      return { ...describeTask(task), _meta: { 'example.com/asked': pickForeign(Object(params._meta)) } };
    if (method === 'tasks/cancel') {
      if (isEnded(task)) throw new TaskError('the task has ended');
      tasks.end(task.key, 'cancelled');
      this.#world.notify({ task });
      return describeTask(task);
    }
    if (method !== 'tasks/result') throw new RpcError({ code: -32601, message: 'Method not found' });
    if (task.status === 'input_required') {
      task.answer = await this.#ask(getTaskQuestion(task), outlet);
      tasks.end(task.key, 'completed');
    }
    if (!isEnded(task) || task.status === 'cancelled') throw new TaskError('the task has no result');
    return withRelation(createResult(task), task);
  }

  #respondNewest(method: string, params: JsonObject): JsonObject {
    const { tasks } = this.#world;
    const task = tasks.find(params.taskId);
    if (method === 'tasks/get') return describeNewestTask(task, pickForeign(Object(params._meta)));
    if (method === 'tasks/cancel') tasks.end(task.key, 'cancelled');
    else if (method !== 'tasks/update') throw new RpcError({ code: -32601, message: 'Method not found' });
    else if (task.status === 'input_required') {
      task.answer = Object(params.inputResponses).who;
      tasks.end(task.key, 'completed');
    }
    return { resultType: 'complete' };
  }
}
