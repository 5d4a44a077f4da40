/**
 * The tasks that were started through a hub since the start of the process, as their servers last described them: for `tasks/list`,
 * and so that a server's notification finds the session of its task. Bounded for a person and in all.
 */
import type { HubPrincipal } from '../access/principal.ts';
import type { TaskRoute } from './task-ids.ts';

/** A task as its server describes it. */
export type TaskState = Readonly<Record<string, unknown>> & { readonly status: string };

export type KnownTask = {
  readonly publicId: string;
  readonly route: TaskRoute;
  readonly hubId: string;
  readonly personId: string;
  /** The session of the client that started it; undefined without one. */
  readonly sessionId: string | undefined;
  state: TaskState;
  /** When its server last described it, in an order without a unit. */
  lastReport: number;
};

export type NewTask = Omit<KnownTask, 'lastReport'>;

const maxPerPerson = 200;
const maxTasks = 20_000;
/** Of tasks whose response has not been handled yet. */
const maxEarlyReports = 256;
const maxEarlyReportChars = 4096;

/** Tasks by public id, under a second key. */
class TaskIndex {
  readonly #toKey: (task: KnownTask) => string;
  /** The oldest first. */
  readonly #tasks = new Map<string, Map<string, KnownTask>>();

  constructor(toKey: (task: KnownTask) => string) {
    this.#toKey = toKey;
  }

  add(task: KnownTask): void {
    const key = this.#toKey(task);
    const tasks = this.#tasks.get(key) ?? new Map<string, KnownTask>();
    this.#tasks.set(key, tasks.set(task.publicId, task));
  }

  remove(task: KnownTask): void {
    const key = this.#toKey(task);
    const tasks = this.#tasks.get(key);
    tasks?.delete(task.publicId);
    if (tasks?.size === 0) this.#tasks.delete(key);
  }

  get(key: string): readonly KnownTask[] {
    return [...(this.#tasks.get(key)?.values() ?? [])];
  }

  count(key: string): number {
    return this.#tasks.get(key)?.size ?? 0;
  }

  getOldest(key: string): KnownTask | undefined {
    return this.#tasks.get(key)?.values().next().value;
  }
}

export class KnownTasks {
  /** By public id, the oldest first. */
  readonly #tasks = new Map<string, KnownTask>();
  readonly #byPerson = new TaskIndex(({ personId }) => personId);
  readonly #byServerId = new TaskIndex(({ route }) => toServerKey(route.connectionId, route.taskId));

  /** By the server's id, the oldest first. */
  readonly #earlyReports = new Map<string, TaskState>();

  #reports = 0;

  /** Returns what the server reported of the task before its response was handled. */
  add(newTask: NewTask): TaskState | undefined {
    this.#reports += 1;
    const task: KnownTask = { ...newTask, lastReport: this.#reports };
    this.remove(task.publicId);
    if (this.#byPerson.count(task.personId) >= maxPerPerson) this.#removeOldest(task.personId);
    else if (this.#tasks.size >= maxTasks) this.#removeOldest();
    this.#tasks.set(task.publicId, task);
    this.#byPerson.add(task);
    this.#byServerId.add(task);
    const serverKey = toServerKey(task.route.connectionId, task.route.taskId);
    const report = this.#earlyReports.get(serverKey);
    this.#earlyReports.delete(serverKey);
    return report;
  }

  /** A report may be read together with the response that names its task: it is held until the task is added. */
  holdReport(connectionId: string, taskId: string, report: TaskState): void {
    const key = toServerKey(connectionId, taskId);
    if (this.#byServerId.count(key) > 0 || JSON.stringify(report).length > maxEarlyReportChars) return;
    this.#earlyReports.delete(key);
    const oldest = this.#earlyReports.keys().next().value;
    if (this.#earlyReports.size >= maxEarlyReports && oldest !== undefined) this.#earlyReports.delete(oldest);
    this.#earlyReports.set(key, report);
  }

  /** Records what the server says about a task now. */
  update(publicId: string, state: TaskState): void {
    const task = this.#tasks.get(publicId);
    this.#reports += 1;
    if (task) Object.assign(task, { state, lastReport: this.#reports });
  }

  remove(publicId: string): void {
    const task = this.#tasks.get(publicId);
    if (!task) return;
    this.#tasks.delete(publicId);
    this.#byPerson.remove(task);
    this.#byServerId.remove(task);
  }

  list({ hub, person }: Pick<HubPrincipal, 'hub' | 'person'>): KnownTask[] {
    return this.#byPerson.get(person.personId).filter(({ hubId }) => hubId === hub.id);
  }

  /** The task with a server's own id; undefined if two people have one with that id, which names neither. */
  findByServerId(connectionId: string, taskId: string): KnownTask | undefined {
    const matches = this.#byServerId.get(toServerKey(connectionId, taskId));
    return matches.length === 1 ? matches[0] : undefined;
  }

  #removeOldest(personId?: string): void {
    const oldest = personId === undefined ? this.#tasks.values().next().value : this.#byPerson.getOldest(personId);
    if (oldest) this.remove(oldest.publicId);
  }
}

function toServerKey(connectionId: string, taskId: string): string {
  return JSON.stringify([connectionId, taskId]);
}

export function isFinished({ status }: TaskState): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
