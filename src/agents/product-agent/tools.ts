/** The tools of the product agent, in the order of `tools/list`. */
import type { Tool } from '../tools/tool.ts';
import { getErrorSummary } from './get-error-summary.ts';
import { getInstanceStatus } from './get-instance-status.ts';
import { getProductRunLogs } from './get-run-logs.ts';
import { getRunReport } from './get-run-report.ts';
import { listProductRuns } from './list-runs.ts';
import { validateConfig } from './validate-config.ts';

export const productAgentTools: readonly Tool[] = [
  getInstanceStatus,
  validateConfig,
  listProductRuns,
  getRunReport,
  getProductRunLogs,
  getErrorSummary,
];
