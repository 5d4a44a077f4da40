/** Problems of the config of a project as problems of a check, with where they are. */
import type { ConfigProblem } from '../../project/config-problem.ts';
import type { SetupFindings, SetupProblem } from './setup-check.ts';

export function toSetupProblem({ code, severity, message, cure, file, position: spot }: ConfigProblem): SetupProblem {
  const location = spot ? `${file}:${spot.line}:${spot.column}` : file;
  return { code, severity, message: `${location}: ${message}`, cure };
}

/** The finding for a named folder whose config is unusable: a check that needs the config fails and is not skipped. */
export function failedConfig(problems: readonly ConfigProblem[]): SetupFindings {
  return { facts: [], problems: problems.filter(({ severity }) => severity === 'error').map(toSetupProblem) };
}
