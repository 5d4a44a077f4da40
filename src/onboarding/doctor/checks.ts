/** What doctor looks at, in its order: what others rest on comes first. Another check is its file and one line here. */
import { diskCheck } from '../preflight/disk.ts';
import { runtimeCheck } from '../preflight/runtime.ts';
import { agentFolderCheck } from './agent-folder.ts';
import { catalogueCheck } from './catalogue.ts';
import { clockCheck } from './clock.ts';
import { configCheck } from './config.ts';
import { containersCheck } from './containers.ts';
import type { DoctorCheck } from './context.ts';
import { controlPlaneCheck } from './control-plane.ts';
import { dashboardCheck } from './dashboard.ts';
import { evidenceCheck } from './evidence.ts';
import { instanceCheck } from './instance.ts';
import { logLinesCheck } from './log-lines.ts';
import { routerCheck } from './router.ts';
import { scenariosCheck } from './scenarios.ts';
import { signInCheck } from './sign-in.ts';
import { versionsCheck } from './versions.ts';

/** The list. */
export const doctorChecks: readonly DoctorCheck[] = [
  runtimeCheck,
  diskCheck,
  controlPlaneCheck,
  clockCheck,
  signInCheck,
  instanceCheck,
  containersCheck,
  versionsCheck,
  routerCheck,
  agentFolderCheck('test'),
  agentFolderCheck('product'),
  configCheck,
  evidenceCheck,
  scenariosCheck,
  catalogueCheck,
  logLinesCheck,
  dashboardCheck,
];
