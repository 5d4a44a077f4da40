/** Cures of the table are written for people at a terminal; what an agent does instead. */
import type { AgentRole } from '../contract/agent-token.ts';
import type { ErrorCode } from '../errors/table.ts';

type Next = Partial<Record<ErrorCode, Partial<Record<AgentRole, string>>>>;

const next: Next = {
  SCENARIO_UNKNOWN: { test: 'author__list_scenarios has the ids' },
  SCENARIO_REVISION_UNKNOWN: { test: 'author__get_scenario without revision reads the newest' },
  SCENARIO_REFUSED: { test: 'mend the text and check it with author__validate_scenario' },
  SCENARIO_CHANGED: { test: 'read the newest revision with author__get_scenario, then write on top of it' },
  RUN_UNKNOWN: { test: 'author__list_runs has the run ids', product: 'product__list_runs has the run ids' },
  RUN_FINAL: { test: 'read it with author__get_run_status' },
  REPORT_ABSENT: { product: 'product__list_runs tells the state of runs' },
  CURSOR_INVALID: { test: 'call it without cursor', product: 'call it without cursor' },
  EXECUTOR_BUSY: { test: 'call it again in some seconds; author__request_run waits in the queue instead' },
  CONTROL_PLANE_UNREACHABLE: {
    test: 'call it again in some seconds; author__get_executor_status tells more',
    product: 'call it again in some seconds; product__get_instance_status tells more',
  },
};

/** What to do after an error, in the tools of `role`; undefined where the cure says it all. */
export function nextAfter(code: ErrorCode, role: AgentRole): string | undefined {
  return next[code]?.[role];
}
