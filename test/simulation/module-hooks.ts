/**
 * Loads copies of the sources for simulations. A module that is imported with `?copy=<name>` brings that name to everything
 * below it, so that each copy has modules of its own. In a copy the store gets its database and its files from the simulated
 * disk, and the copy's mutation, if it has one, replaces an expression of one source file.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutations.ts';

const root = new URL('../../', import.meta.url).href;
const substitutes: Readonly<Record<string, string>> = {
  'better-sqlite3': new URL('./world/sqlite.ts', import.meta.url).href,
  'node:fs': new URL('./world/sync-files.ts', import.meta.url).href,
  'node:fs/promises': new URL('./world/async-files.ts', import.meta.url).href,
};
const mutations = new Map<string, Mutation>();

/** The copy with the mutation's name has it. Call it before the copy is imported. */
export function addMutation(mutation: Mutation): void {
  mutations.set(mutation.name, mutation);
}

/** Other parts of src/ have files in the folders of stores as well; only the store makes asynchronous calls that matter here. */
function findSubstitute(specifier: string, parentUrl: string): string | undefined {
  const isReplaced = parentUrl.startsWith(`${root}src/${specifier === 'node:fs' ? '' : 'store/'}`);
  return isReplaced ? substitutes[specifier] : undefined;
}

function findCopy(url: string | undefined): string | null {
  return url?.startsWith(root) ? new URL(url).searchParams.get('copy') : null;
}

registerHooks({
  resolve(specifier, context, next) {
    const copy = findCopy(context.parentURL);
    if (copy === null) return next(specifier, context);
    const substitute = findSubstitute(specifier, context.parentURL ?? '');
    const resolved = substitute === undefined ? next(specifier, context) : { url: substitute, shortCircuit: true };
    const isOwn = resolved.url.startsWith(root) && !resolved.url.includes('/node_modules/');
    return isOwn ? { ...resolved, url: `${resolved.url}?copy=${encodeURIComponent(copy)}` } : resolved;
  },
  load(url, context, next) {
    const loaded = next(url, context);
    const mutation = mutations.get(findCopy(url) ?? '');
    if (!mutation || fileURLToPath(url.replace(/\?.*$/, '')) !== fileURLToPath(new URL(mutation.file, root)))
      return loaded;
    return { ...loaded, source: mutateSource(String(loaded.source), mutation) };
  },
});

/** Throws when the source does not contain each expression once: the mutation must follow the source then. */
function mutateSource(source: string, { file, replacements }: Mutation): string {
  return replacements.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length === 2) return parts.join(to);
    throw new Error(`${file} has ${parts.length - 1} times "${from}"; change test/simulation/mutations.ts`);
  }, source);
}
