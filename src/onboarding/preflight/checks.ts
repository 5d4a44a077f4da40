/** The checks of preflight, in their order. A new check is one file and one line here. */
import type { SetupCheck } from '../checks/setup-check.ts';
import { bashCheck } from './bash.ts';
import { clusterCheck } from './cluster.ts';
import type { PreflightContext } from './context.ts';
import { databaseUserCheck } from './database-user.ts';
import { diskCheck } from './disk.ts';
import { memoryCheck } from './memory.ts';
import {
  dashboardPortCheck,
  executorPortCheck,
  metricsPortCheck,
  routerNameCheck,
  routerPortCheck,
  runtimeCheck,
} from './platform-checks.ts';
import { targetPortCheck } from './target-port.ts';

export const preflightChecks: readonly SetupCheck<PreflightContext>[] = [
  runtimeCheck,
  dashboardPortCheck,
  metricsPortCheck,
  routerPortCheck,
  routerNameCheck,
  executorPortCheck,
  targetPortCheck,
  databaseUserCheck,
  diskCheck,
  memoryCheck,
  bashCheck,
  clusterCheck,
];
