import { textField } from './fields.ts';
import type { Resource } from './resource.ts';

/** Templates for envelopes. */
export const template: Resource = {
  name: 'template',
  properties: ['id', 'name', 'subject', 'createdAt'],
  fields: { name: textField(120), subject: textField(200) },
  initial: {},
  filters: {},
  seeds: [
    {
      id: 'template-0001',
      name: 'Non-disclosure agreement',
      subject: 'Please sign: non-disclosure agreement',
      createdAt: '2026-01-05T09:00:00.000Z',
    },
    {
      id: 'template-0002',
      name: 'Employment contract',
      subject: 'Please sign: your employment contract',
      createdAt: '2026-01-05T09:05:00.000Z',
    },
  ],
};
