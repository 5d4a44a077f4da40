/** The tools of the product agent, in the order of `tools/list`. */
import type { Tool } from '../tools/tool.ts';
import { getErrorSummaryTool } from './get-error-summary.ts';
import { getInstanceStatusTool } from './get-instance-status.ts';
import { getProductRunLogsTool } from './get-run-logs.ts';
import { getRunReportTool } from './get-run-report.ts';
import { listProductRunsTool } from './list-runs.ts';
import { validateConfigTool } from './validate-config.ts';

export const productAgentTools: readonly Tool[] = [
  getInstanceStatusTool,
  validateConfigTool,
  listProductRunsTool,
  getRunReportTool,
  getProductRunLogsTool,
  getErrorSummaryTool,
];
