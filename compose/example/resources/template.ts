import { text } from './fields.ts';
import type { Resource } from './resource.ts';

/** Templates that envelopes can be worded after. */
export const template: Resource = {
  name: 'template',
  properties: ['id', 'name', 'subject', 'createdAt'],
  fields: { name: text(120), subject: text(200) },
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
