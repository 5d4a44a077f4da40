import { fine, type Problem, problem, skipped } from '../preflight/check.ts';
import type { DoctorCheck } from './context.ts';

/** The scenarios in the folder and those of the instance's catalogue are the same. */
export const catalogueCheck: DoctorCheck = {
  id: 'catalogue',
  title: 'folder and catalogue',
  async look({ scenarios, readScenarios, found }) {
    const { client, registered } = found;
    if (!client || !registered) return skipped('not compared: the catalogue cannot be read');
    const instance = registered.instance_id;
    const catalogue = new Map((await client.scenarios.all(instance)).map((one) => [one.scenario_id, one.sha256]));
    const files = scenarios ? filesOf(() => readScenarios(scenarios.folder)) : undefined;
    if (!files) return fine(`${catalogue.size} in the catalogue`, 'no folder to compare');
    const folder = new Map(files.flatMap(({ id, sha256 }) => (id === undefined ? [] : [[id, sha256] as const])));
    const changed = [...folder].filter(([id, hash]) => catalogue.has(id) && catalogue.get(id) !== hash);
    const values = { instance, folder: scenarios?.folder ?? '' };
    const differences: readonly (readonly [string, readonly string[]])[] = [
      ['differ', changed.map(([id]) => id)],
      ['are only in the folder', [...folder.keys()].filter((id) => !catalogue.has(id))],
      ['are only in the catalogue', [...catalogue.keys()].filter((id) => !folder.has(id))],
    ];
    const problems = differences.flatMap(([how, ids]): Problem[] =>
      ids.length === 0 ? [] : [problem('CATALOGUE_DIFFERS', { ...values, how, ids: someOf(ids) })],
    );
    return problems.length === 0 ? fine(`the same ${catalogue.size}`) : { facts: [], problems };
  },
};

/** Undefined for a folder that cannot be read, which the check of the folder tells. */
function filesOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function someOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(', ');
  return ids.length > 5 ? `${shown} and ${ids.length - 5} more` : shown;
}
