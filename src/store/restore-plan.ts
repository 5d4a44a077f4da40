/**
 * A restore replaces several files, and a kill may come between any two of them. So its plan is written first: from then on the
 * restore is decided, and the next process that opens the folder completes it. Before that nothing has changed but `*.part` files.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { vpError } from '../errors/vp-error.ts';
import { syncFolder, writeFileAtomically } from '../files/atomic-write.ts';
import { retainRecentFile } from './audit/recent-file.ts';
import { replaceStore } from './engine.ts';
import { type BackupStoreName, backedUpStores, getStoreFile } from './store-files.ts';

const RestorePlan = Type.Object({
  format: Type.Literal(1),
  /** Part of the new names of replaced stores. */
  mark: Type.String({ pattern: '^[0-9T]{1,40}$' }),
  stores: Type.Array(Type.Union(backedUpStores.map(({ name }) => Type.Literal(name)))),
});
type RestorePlan = Static<typeof RestorePlan>;

/**
 * `replaced` is the new path of the store that was there before, `recentCalls` that of the recorded calls that were not in the
 * replaced audit.
 */
export type RestoredStore = {
  readonly store: BackupStoreName;
  readonly replaced: string | undefined;
  readonly recentCalls?: string | undefined;
};

function getPlanFile(folder: string): string {
  return join(folder, 'restore.json');
}

/** Decides a restore for which the file `<store>.part` of each store is complete and on the disk. */
export function saveRestorePlan(folder: string, mark: string, stores: readonly BackupStoreName[]): void {
  const plan: RestorePlan = { format: 1, mark, stores: [...stores] };
  writeFileAtomically(getPlanFile(folder), `${JSON.stringify(plan)}\n`);
}

function readPlan(folder: string): RestorePlan | undefined {
  const file = getPlanFile(folder);
  if (!existsSync(file)) return undefined;
  try {
    return Value.Decode(RestorePlan, JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw vpError('RESTORE_INCOMPLETE', { folder }, { cause, detail: `${file} cannot be read: ${String(cause)}` });
  }
}

export function hasRestorePlan(folder: string): boolean {
  return existsSync(getPlanFile(folder));
}

/** For readers that cannot complete it. Throws RESTORE_INCOMPLETE. */
export function assertNoRestorePlan(folder: string): void {
  if (hasRestorePlan(folder)) throw vpError('RESTORE_INCOMPLETE', { folder });
}

/** An earlier attempt may have renamed it. */
function findFile(file: string): string | undefined {
  return existsSync(file) ? file : undefined;
}

/**
 * Completes the restore that is decided in `folder`, whose lock the caller has; undefined when there is none.
 * Throws RESTORE_INCOMPLETE when the plan cannot be read, and system errors; it can be called again then.
 */
export function completeRestore(
  folder: string,
  onStep: (step: string) => void = () => {},
): RestoredStore[] | undefined {
  const plan = readPlan(folder);
  if (!plan) return undefined;
  const restored = plan.stores.map((store) => {
    const file = getStoreFile(folder, store);
    replaceStore(`${file}.part`, file, plan.mark, (step) => onStep(`${store}: ${step}`));
    const suffix = `replaced-${plan.mark}`;
    const recentCalls = store === 'audit' ? retainRecentFile(file, suffix) : undefined;
    return { store, replaced: findFile(`${file}.${suffix}`), recentCalls: recentCalls && findFile(recentCalls) };
  });
  onStep('remove the plan');
  rmSync(getPlanFile(folder), { force: true });
  syncFolder(folder);
  return restored;
}
