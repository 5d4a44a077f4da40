/** Reads a config for the product agent: the given text or the executor's own file, against the `.env` beside that file. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ConfigCheck } from '../agents/ports.ts';
import { parseEnvFile } from '../project/env-file.ts';
import { loadProject } from '../project/load.ts';
import { type ProjectOptions, parseProject } from '../project/parse.ts';
import type { ConfigProblem } from '../project/problem.ts';
import { namesNeeded } from '../project/references.ts';
import { readYaml } from '../project/yaml-tree.ts';

/** `folder` is the product folder that the executor was started with. */
export function configCheck(
  folder: string,
  options: ProjectOptions,
): (text: string | undefined) => Promise<ConfigCheck> {
  return async (text) => {
    const { configFile, problems, config } = await loadProject(folder, options);
    const envText = await textOf(join(dirname(configFile), '.env'));
    if (text === undefined) return checked(config !== undefined, problems, (await textOf(configFile)) ?? '', envText);
    const found: ConfigProblem[] = [];
    const texts = { configText: text, configFile: 'platform-config.yaml', envText, envFile: '.env' };
    const read = parseProject(texts, options, (problem) => found.push(problem));
    return checked(read !== undefined, found, text, envText);
  };
}

function checked(valid: boolean, problems: readonly ConfigProblem[], text: string, envText = ''): ConfigCheck {
  const present = parseEnvFile(envText, '.env', () => {});
  const names = namesNeeded(readYaml(text, () => {})?.root ?? null);
  return { valid, problems, names: names.map((name) => ({ name, present: present.has(name) })) };
}

/** Undefined where it cannot be read: the problems say why. */
function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
