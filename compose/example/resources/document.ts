import { integerField, optionalField, referenceField, textField } from './fields.ts';
import type { Resource } from './resource.ts';

/** Documents to be signed; only their description, the application stores no files. */
export const document: Resource = {
  name: 'document',
  properties: ['id', 'title', 'pages', 'folderId', 'createdAt'],
  fields: { title: textField(200), pages: integerField(1, 10_000), folderId: optionalField(referenceField('folder')) },
  initial: {},
  filters: {},
  seeds: [
    {
      id: 'document-0001',
      title: 'Supply agreement',
      pages: 12,
      folderId: 'folder-0001',
      createdAt: '2026-01-06T10:00:00.000Z',
    },
    {
      id: 'document-0002',
      title: 'Office lease',
      pages: 31,
      folderId: 'folder-0001',
      createdAt: '2026-01-06T10:05:00.000Z',
    },
    {
      id: 'document-0003',
      title: 'Employment contract',
      pages: 6,
      folderId: 'folder-0002',
      createdAt: '2026-01-06T10:10:00.000Z',
    },
    { id: 'document-0004', title: 'Board minutes', pages: 3, folderId: null, createdAt: '2026-01-06T10:15:00.000Z' },
  ],
};
