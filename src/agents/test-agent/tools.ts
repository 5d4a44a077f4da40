/** The tools of the test agent, in the order of `tools/list`. */
import type { Tool } from '../tools/tool.ts';
import { cancelRun } from './cancel-run.ts';
import { deleteScenario } from './delete-scenario.ts';
import { describeDatabase } from './describe-database.ts';
import { getExecutorStatus } from './get-executor-status.ts';
import { getGuide } from './get-guide.ts';
import { getRunLogs } from './get-run-logs.ts';
import { getRunStatus } from './get-run-status.ts';
import { getScenario } from './get-scenario.ts';
import { listAuthorRuns } from './list-runs.ts';
import { listScenarios } from './list-scenarios.ts';
import { probeTarget } from './probe-target.ts';
import { queryDatabase } from './query-database.ts';
import { requestRun } from './request-run.ts';
import { requestSuite } from './request-suite.ts';
import { validateScenario } from './validate-scenario.ts';
import { writeScenario } from './write-scenario.ts';

export const testAgentTools: readonly Tool[] = [
  getExecutorStatus,
  getGuide,
  probeTarget,
  listScenarios,
  getScenario,
  validateScenario,
  writeScenario,
  deleteScenario,
  requestRun,
  requestSuite,
  getRunStatus,
  getRunLogs,
  listAuthorRuns,
  cancelRun,
  describeDatabase,
  queryDatabase,
];
