/** The fixes in the error table address a person at a terminal; these are the equivalents for agents. */
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import type { ErrorCode } from '../../errors/table.ts';

type NextSteps = Partial<Record<ErrorCode, Partial<Record<AgentRole, string>>>>;

const nextSteps: NextSteps = {
  SCENARIO_UNKNOWN: { test: 'author__list_scenarios lists the ids' },
  SCENARIO_DELETED: {
    test: 'author__write_scenario writes it again; author__get_scenario with a revision still reads it',
  },
  SCENARIO_RENAMED: { test: 'call it with the new id' },
  SCENARIO_REVISION_UNKNOWN: { test: 'author__get_scenario without revision reads the newest' },
  SCENARIO_REFUSED: { test: 'fix the text and check it with author__validate_scenario' },
  SCENARIO_CHANGED: { test: 'read the newest revision with author__get_scenario, then write with its revision' },
  RUN_UNKNOWN: { test: 'author__list_runs lists the run ids', product: 'product__list_runs lists the run ids' },
  RUN_FINAL: { test: 'read it with author__get_run_status' },
  REPORT_ABSENT: {
    test: 'author__get_run_status shows the state of the run',
    product: 'product__list_runs shows the state of runs',
  },
  CURSOR_INVALID: { test: 'call it without cursor', product: 'call it without cursor' },
  EXECUTOR_BUSY: { test: 'call it again in a few seconds; author__request_run waits in the queue instead' },
  CONTROL_PLANE_UNREACHABLE: {
    test: 'call it again in a few seconds; author__get_executor_status shows details',
    product: 'call it again in a few seconds; product__get_instance_status shows details',
  },
};

/** What to do after an error with the tools of `role`; undefined when the fix in the error is sufficient. */
export function findNextStepAfterError(code: ErrorCode, role: AgentRole): string | undefined {
  return nextSteps[code]?.[role];
}

/** A command of `vp`, which an agent does not have: its tools are all it may use. */
const commandPattern = /`vp [^`]*`|(^|[ ,])--[a-z]/;

/** The fix of an error for an agent: its own next step, or what a person can do. */
export function toAgentFix(cure: string, nextStep?: string): string {
  if (!commandPattern.test(cure)) return cure;
  return nextStep ?? `ask a person to do this: ${cure}`;
}
