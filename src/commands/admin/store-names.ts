import type { BackupStoreName } from '../../store/store-files.ts';

export const storeLabels: Readonly<Record<BackupStoreName, string>> = {
  control: 'the store',
  audit: 'the audit of hubs',
  memory: 'the memory of hubs',
};
