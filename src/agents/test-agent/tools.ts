/** The tools of the test agent, in the order of `tools/list`. */
import type { Tool } from '../tools/tool.ts';
import { cancelRunTool } from './cancel-run.ts';
import { deleteScenarioTool } from './delete-scenario.ts';
import { describeDatabaseTool } from './describe-database.ts';
import { getExecutorStatusTool } from './get-executor-status.ts';
import { getGuideTool } from './get-guide.ts';
import { getRunLogsTool } from './get-run-logs.ts';
import { getRunStatusTool } from './get-run-status.ts';
import { getScenarioTool } from './get-scenario.ts';
import { listAuthorRunsTool } from './list-runs.ts';
import { listScenariosTool } from './list-scenarios.ts';
import { probeTargetTool } from './probe-target.ts';
import { queryDatabaseTool } from './query-database.ts';
import { requestRunTool } from './request-run.ts';
import { requestSuiteTool } from './request-suite.ts';
import { validateScenarioTool } from './validate-scenario.ts';
import { writeScenarioTool } from './write-scenario.ts';

export const testAgentTools: readonly Tool[] = [
  getExecutorStatusTool,
  getGuideTool,
  probeTargetTool,
  listScenariosTool,
  getScenarioTool,
  validateScenarioTool,
  writeScenarioTool,
  deleteScenarioTool,
  requestRunTool,
  requestSuiteTool,
  getRunStatusTool,
  getRunLogsTool,
  listAuthorRunsTool,
  cancelRunTool,
  describeDatabaseTool,
  queryDatabaseTool,
];
