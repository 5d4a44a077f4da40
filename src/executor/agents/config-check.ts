/**
 * Checks a config for the product agent: the given text or the executor's own file, with the `.env` next to that file.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ConfigCheck } from '../../agents/ports.ts';
import type { ConfigProblem } from '../../project/config-problem.ts';
import { parseEnvFile } from '../../project/env/env-file.ts';
import { listRequiredNames } from '../../project/env/references.ts';
import { loadProject } from '../../project/load-project.ts';
import { type ProjectOptions, parseProject } from '../../project/parse-project.ts';
import { readYaml } from '../../project/yaml/yaml-tree.ts';

/** `folder` is the product folder with which the executor was started. */
export function createConfigCheck(
  folder: string,
  options: ProjectOptions,
): (text: string | undefined) => Promise<ConfigCheck> {
  return async (text) => {
    const { configFile, problems, config } = await loadProject(folder, options);
    const envText = await readText(join(dirname(configFile), '.env'));
    if (text === undefined)
      return toConfigCheck(config !== undefined, problems, (await readText(configFile)) ?? '', envText);
    const textProblems: ConfigProblem[] = [];
    const texts = { configText: text, configFile: 'platform-config.yaml', envText, envFile: '.env' };
    const textConfig = parseProject(texts, options, (problem) => textProblems.push(problem));
    return toConfigCheck(textConfig !== undefined, textProblems, text, envText);
  };
}

function toConfigCheck(valid: boolean, problems: readonly ConfigProblem[], text: string, envText = ''): ConfigCheck {
  const present = parseEnvFile(envText, '.env', () => {});
  const names = listRequiredNames(readYaml(text, () => {})?.root ?? null);
  return { valid, problems, names: names.map((name) => ({ name, present: present.has(name) })) };
}

/** Undefined when the file cannot be read; the reported problems say why. */
function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
