/** The config that `--against` sends with: the one of the product folder, or nothing but the address. */
import { resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import type { ConfigProblem } from '../../project/config-problem.ts';
import { loadProject, requireConfig } from '../../project/load-project.ts';
import { parseProject } from '../../project/parse-project.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import { findProductFolder } from '../authoring/placeholders.ts';

/** Throws CONFIG_*. */
export async function loadImportProject(
  baseUrl: string,
  productDir: string | undefined,
  { cwd }: Pick<Environment, 'cwd'>,
): Promise<ProjectConfig> {
  const folder = productDir ?? findProductFolder(cwd);
  if (folder !== undefined) return requireConfig(await loadProject(resolve(cwd, folder), { use: 'local', baseUrl }));
  const problems: ConfigProblem[] = [];
  const configFile = 'platform-config.yaml';
  const config = parseProject(
    { configText: 'project: { name: import }\n', configFile, envText: undefined },
    { use: 'local', baseUrl },
    (problem) => problems.push(problem),
  );
  return requireConfig({ config, problems, configFile });
}
