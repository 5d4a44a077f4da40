/**
 * The tasks that were started through a hub since the start of the process, as their servers last described them: for `tasks/list`,
 * and so that a server's notification finds the session of its task. Bounded for a person and in all.
 */
import type { HubPrincipal } from '../types.ts';
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
};

const maxPerPerson = 200;
const maxTasks = 20_000;

export class KnownTasks {
  /** By public id, the oldest first. */
  readonly #tasks = new Map<string, KnownTask>();

  add(task: KnownTask): void {
    this.#tasks.delete(task.publicId);
    const ofPerson = [...this.#tasks.values()].filter(({ personId }) => personId === task.personId);
    const [oldest] = ofPerson.length >= maxPerPerson ? ofPerson : this.#tasks.values();
    if (oldest && (ofPerson.length >= maxPerPerson || this.#tasks.size >= maxTasks))
      this.#tasks.delete(oldest.publicId);
    this.#tasks.set(task.publicId, task);
  }

  /** Records what the server says about a task now. */
  update(publicId: string, state: TaskState): void {
    const task = this.#tasks.get(publicId);
    if (task) task.state = state;
  }

  remove(publicId: string): void {
    this.#tasks.delete(publicId);
  }

  list({ hub, person }: Pick<HubPrincipal, 'hub' | 'person'>): KnownTask[] {
    return [...this.#tasks.values()].filter(({ hubId, personId }) => hubId === hub.id && personId === person.personId);
  }

  /** The task with a server's own id; undefined if two people have one with that id, which names neither. */
  findByServerId(connectionId: string, taskId: string): KnownTask | undefined {
    const matches = [...this.#tasks.values()].filter(
      ({ route }) => route.connectionId === connectionId && route.taskId === taskId,
    );
    return matches.length === 1 ? matches[0] : undefined;
  }
}

export function isFinished({ status }: TaskState): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
