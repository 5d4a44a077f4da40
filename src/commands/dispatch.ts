/** The command line of `vp` over its catalogue. The build packs this file and what it loads apart from the entry (build.mjs). */
import { createDispatcher } from '../command-line/dispatcher.ts';

export const { dispatch, reportOutputFailure, reportStalledCommand } = createDispatcher({
  loadCatalogue: async () => (await import('./catalogue.ts')).catalogue,
  loadGroups: async () => {
    const { commandGroups: groups, internalCommands: internal } = await import('./command-groups.ts');
    return { groups, internal };
  },
  readInheritedValues: async (environment) =>
    (await import('./control-plane/current-values.ts')).readInheritedValues(environment),
  completeCure: async (...params) => (await import('./suggest.ts')).completeCure(...params),
});
