import { mailAddressField, referenceField, textField } from './fields.ts';
import type { Resource } from './resource.ts';

/** `voided` is set by the back office in the database; the API only reads it. No seed has it. */
const envelopeStatuses = ['created', 'sent', 'delivered', 'voided'] as const;

/** A document on its way to the person who signs it; see `saga.ts` for how its status changes. */
export const envelope: Resource = {
  name: 'envelope',
  properties: ['id', 'subject', 'recipient', 'documentId', 'status', 'createdAt', 'sentAt', 'deliveredAt'],
  fields: { subject: textField(200), recipient: mailAddressField(), documentId: referenceField('document') },
  initial: { status: 'created', sentAt: null, deliveredAt: null },
  filters: { status: envelopeStatuses },
  seeds: [
    {
      id: 'envelope-0001',
      subject: 'Please sign: supply agreement',
      recipient: 'ada@customer.example',
      documentId: 'document-0001',
      status: 'delivered',
      createdAt: '2026-01-07T11:00:00.000Z',
      sentAt: '2026-01-07T11:01:00.000Z',
      deliveredAt: '2026-01-07T11:02:00.000Z',
    },
    {
      id: 'envelope-0002',
      subject: 'Please sign: office lease',
      recipient: 'grace@landlord.example',
      documentId: 'document-0002',
      status: 'sent',
      createdAt: '2026-01-07T11:05:00.000Z',
      sentAt: '2026-01-07T11:06:00.000Z',
      deliveredAt: null,
    },
    {
      id: 'envelope-0003',
      subject: 'Please sign: your employment contract',
      recipient: 'alan@staff.example',
      documentId: 'document-0003',
      status: 'created',
      createdAt: '2026-01-07T11:10:00.000Z',
      sentAt: null,
      deliveredAt: null,
    },
  ],
};
