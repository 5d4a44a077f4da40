/** What preflight looks at, in its order. Another check is its file and one line here. */
import { bashCheck } from './bash.ts';
import type { Check } from './check.ts';
import { clusterCheck } from './cluster.ts';
import type { PreflightContext } from './context.ts';
import { diskCheck } from './disk.ts';
import { executorPortCheck } from './executor-port.ts';
import { hostPortCheck } from './host-port.ts';
import { memoryCheck } from './memory.ts';
import { routerNameCheck } from './router-name.ts';
import { routerPortCheck } from './router-port.ts';
import { runtimeCheck } from './runtime.ts';
import { targetPortCheck } from './target-port.ts';

/** The list. */
export const preflightChecks: readonly Check<PreflightContext>[] = [
  runtimeCheck,
  hostPortCheck('dashboard_port', 3000, 'the dashboard'),
  hostPortCheck('metrics_port', 9095, 'the metrics store'),
  routerPortCheck,
  routerNameCheck,
  executorPortCheck,
  targetPortCheck,
  diskCheck,
  memoryCheck,
  bashCheck,
  clusterCheck,
];
