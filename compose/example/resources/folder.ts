import { textField } from './fields.ts';
import type { Resource } from './resource.ts';

/** Folders of documents. */
export const folder: Resource = {
  name: 'folder',
  properties: ['id', 'name', 'createdAt'],
  fields: { name: textField(120) },
  initial: {},
  filters: {},
  seeds: [
    { id: 'folder-0001', name: 'Contracts', createdAt: '2026-01-05T08:00:00.000Z' },
    { id: 'folder-0002', name: 'Human resources', createdAt: '2026-01-05T08:05:00.000Z' },
    { id: 'folder-0003', name: 'Archive', createdAt: '2026-01-05T08:10:00.000Z' },
  ],
};
