/** What servers say apart from a call about one client's task or form, and which session of a client hears it. */
import type { KnownTasks, NewTask, TaskState } from '../tasks/known-tasks.ts';
import type { TaskWatches } from '../tasks/task-watches.ts';
import { type CredentialMasker, type MaskTarget, maskJson } from '../upstream/credential-masker.ts';
import type { KnownElicitations } from './known-elicitations.ts';
import type { McpSessions } from './mcp-sessions.ts';

type ServerNoticesDependencies = {
  readonly masker: CredentialMasker;
  readonly taskWatches: TaskWatches;
  readonly knownTasks: KnownTasks;
  readonly knownElicitations: KnownElicitations;
  readonly sessions: Pick<McpSessions, 'notify'>;
};

export class ServerNotices {
  readonly #dependencies: ServerNoticesDependencies;

  constructor(dependencies: ServerNoticesDependencies) {
    this.#dependencies = dependencies;
  }

  /** For the session that started a task of 2025-11-25, and for clients that watch a newer one. */
  async onTaskStatus(source: MaskTarget, params: Record<string, unknown>): Promise<void> {
    const { masker, taskWatches, knownTasks } = this.#dependencies;
    const connectionId = source.connection.id;
    const taskId = String(params.taskId);
    taskWatches.onReport({ connectionId, taskId });
    if (typeof params.status !== 'string') return;
    const state = maskJson(await masker.getMask(source), { ...params, status: params.status });
    const task = knownTasks.findByServerId(connectionId, taskId);
    if (task) this.reportTask(task, state);
    else knownTasks.holdReport(connectionId, taskId, state);
  }

  reportTask({ publicId, sessionId }: NewTask, state: TaskState): void {
    const { knownTasks, sessions } = this.#dependencies;
    knownTasks.update(publicId, state);
    if (sessionId !== undefined)
      sessions.notify(sessionId, 'notifications/tasks/status', { ...state, taskId: publicId });
  }

  /** For the session that was asked to open the form at a URL. */
  async onElicitationComplete(source: MaskTarget, params: Record<string, unknown>): Promise<void> {
    const { masker, knownElicitations, sessions } = this.#dependencies;
    const sessionId = knownElicitations.take(source.connection.id, params.elicitationId);
    if (sessionId === undefined) return;
    const publicParams = maskJson(await masker.getMask(source), params);
    sessions.notify(sessionId, 'notifications/elicitation/complete', publicParams);
  }
}
