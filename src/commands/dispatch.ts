/** The command line of `vp` over its catalogue. The build packs this file and what it loads apart from the entry (build.mjs). */
import { createDispatcher } from '../command-line/dispatcher.ts';

export const { dispatch, reportOutputFailure, reportStalledCommand } = createDispatcher(
  async () => (await import('./catalogue.ts')).catalogue,
);
