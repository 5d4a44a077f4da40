import type { BackedUpStore } from '../store/backup.ts';

/** How each store of a data folder is called. */
export const storeWords: Readonly<Record<BackedUpStore, string>> = {
  control: 'the store',
  audit: 'the audit of hubs',
  memory: 'the memory of hubs',
};
