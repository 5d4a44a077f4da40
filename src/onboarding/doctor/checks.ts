/** The checks of doctor, in their order: a check comes after those whose results it uses. A new check is one file and one line here. */
import { diskCheck } from '../preflight/disk.ts';
import { createAgentFolderCheck } from './agent-folder.ts';
import { catalogueCheck } from './catalogue.ts';
import { clockCheck } from './clock.ts';
import { configCheck } from './config.ts';
import { containersCheck } from './containers.ts';
import type { DoctorCheck } from './context.ts';
import { controlPlaneCheck } from './control-plane.ts';
import { dashboardCheck } from './dashboard.ts';
import { databaseCheck } from './database.ts';
import { engineCheck } from './engine.ts';
import { evidenceCheck } from './evidence.ts';
import { instanceCheck } from './instance.ts';
import { logLinesCheck } from './log-lines.ts';
import { routerCheck } from './router.ts';
import { scenariosCheck } from './scenarios.ts';
import { signInCheck } from './sign-in.ts';
import { targetCheck } from './target.ts';
import { versionsCheck } from './versions.ts';

export const doctorChecks: readonly DoctorCheck[] = [
  diskCheck,
  controlPlaneCheck,
  databaseCheck,
  clockCheck,
  signInCheck,
  instanceCheck,
  engineCheck,
  containersCheck,
  versionsCheck,
  routerCheck,
  createAgentFolderCheck('test'),
  createAgentFolderCheck('product'),
  configCheck,
  targetCheck,
  evidenceCheck,
  scenariosCheck,
  catalogueCheck,
  logLinesCheck,
  dashboardCheck,
];
