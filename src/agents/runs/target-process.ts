/** Whether a failed run says anything about the newest change: it does not when it hit the process of an earlier failure. */
import type { Run } from '../../contract/api.ts';
import { parseTargetProcess } from '../../report/target-identity.ts';
import type { AgentPorts } from '../ports.ts';
import type { ToolContext } from '../tools/tool.ts';

type Target = Pick<Run, 'target_process' | 'target_version'>;

/** `pid 42 on box, version 1.2.0`; undefined where neither is known. */
export function formatTarget({ target_process, target_version }: Target): string | undefined {
  const parts = [target_process, target_version && `version ${target_version}`].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

/**
 * Whether two runs hit the same process; null where that is not known. A start is compared where both are known: one may be
 * of an older executor. In a container the first process has the number 1 after every restart, and only a new container
 * has another host name.
 */
function isSameProcess(current: string, before: string): boolean | null {
  const { pid, startedAt } = parseTargetProcess(current);
  const { pid: pidBefore, startedAt: startBefore } = parseTargetProcess(before);
  if (startedAt !== null && startBefore !== null) return current === before;
  if (pid === null || pidBefore === null) return null;
  if (pid !== pidBefore) return false;
  return /^pid 1\b/.test(pid) ? null : true;
}

/** Compares the target of a failed run with that of the failure before it. */
export async function compareWithLastFailure(
  { control }: Pick<AgentPorts, 'control'>,
  { instance, signal }: ToolContext,
  run: Run,
): Promise<{ readonly previous: Run | null; readonly sameProcess: boolean | null; readonly text: string }> {
  const filter = {
    instance,
    scenario: run.scenario_id,
    states: ['failed'],
    until: run.requested_at,
    limit: 2,
  } as const;
  const { items } = await control.runs.list(filter, { signal });
  const previous = items.find(({ run_id }) => run_id !== run.run_id) ?? null;
  const target = formatTarget(run);
  const known = target === undefined ? '' : `Target: ${target}. `;
  if (!previous) return { previous, sameProcess: null, text: known.trim() };
  const before = previous.target_process;
  const earlier = `the failure before it (run ${previous.run_id}, requested at ${previous.requested_at})`;
  if (run.target_process === undefined || before === undefined)
    return {
      ...{ previous, sameProcess: null },
      text: `${known}It is not known whether this process is that of ${earlier}: the log lines of both runs must have a pid, or come from a container. Make sure that your change was running.`,
    };
  const sameProcess = isSameProcess(run.target_process, before);
  if (sameProcess === false)
    return { previous, sameProcess, text: `${known}Another process than that of ${earlier}: ${before}.` };
  if (sameProcess === null)
    return {
      ...{ previous, sameProcess },
      text: `${known}Whether the target was restarted since ${earlier} (${before}) is not known. If your change needs a new container, make sure that it runs in one.`,
    };
  return {
    ...{ previous, sameProcess },
    text: `${known}Warning: this is the same process as that of ${earlier}. A change that you made since is not running: restart the application, then ask for new runs.`,
  };
}
