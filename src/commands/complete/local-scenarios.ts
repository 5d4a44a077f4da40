/** Ids and tags of the scenario files of this folder, read by their lines: a file that is being written counts too. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';

export type LocalScenario = { readonly id: string; readonly title: string; readonly tags: readonly string[] };

const folders = ['scenarios', 'test/scenarios', 'test'];
const maxFiles = 500;
const maxBytes = 4_096;

export function listLocalScenarios(
  { cwd }: Pick<Environment, 'cwd'>,
  flag: (name: string) => string | undefined,
): readonly LocalScenario[] {
  const named = flag('test-dir');
  const candidates = named === undefined ? folders : [join(named, 'scenarios'), named];
  for (const folder of candidates) {
    const scenarios = readFolder(resolve(cwd, folder));
    if (scenarios.length > 0) return scenarios;
  }
  return [];
}

function readFolder(folder: string): readonly LocalScenario[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    return names
      .sort()
      .slice(0, maxFiles)
      .flatMap((name) => readScenario(join(folder, name)));
  } catch {
    return [];
  }
}

function readScenario(file: string): LocalScenario[] {
  const text = readFileSync(file, 'utf8').slice(0, maxBytes);
  const value = (key: string): string | undefined => new RegExp(`^[-*] \\W*${key}\\W*:\\W*(.*)$`, 'mi').exec(text)?.[1];
  const id = value('ID')?.replace(/[`*]/g, '').trim();
  if (!id || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id)) return [];
  const title = /^# Scenario: *(.+)$/m.exec(text)?.[1]?.trim() ?? '';
  const tags = (value('Tags') ?? '').split(/[\s,`]+/).filter(Boolean);
  return [{ id, title, tags }];
}
