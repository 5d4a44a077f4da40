import { missing } from './row.ts';

export const documentationErrors = {
  DOCUMENTATION_PAGE_UNKNOWN: missing('there is no documentation page {{page}}', 'use one of: {{pages}}'),
} as const;
