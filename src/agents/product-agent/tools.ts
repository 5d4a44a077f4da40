/** The tools of the product agent, in the order in which they are listed. */
import type { Tool } from '../tool.ts';
import { getErrorSummary } from './get-error-summary.ts';
import { getInstanceStatus } from './get-instance-status.ts';
import { getRunLogsOfProduct } from './get-run-logs.ts';
import { getRunReport } from './get-run-report.ts';
import { listRunsOfProduct } from './list-runs.ts';
import { validateConfig } from './validate-config.ts';

/** See above. */
export const productAgentTools: readonly Tool[] = [
  getInstanceStatus,
  validateConfig,
  listRunsOfProduct,
  getRunReport,
  getRunLogsOfProduct,
  getErrorSummary,
];
