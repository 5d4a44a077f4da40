/** Errors of saved views. */
import { conflict, invalid, notFound, withStatus } from './row.ts';

export const viewErrors = {
  VIEW_UNKNOWN: notFound(
    '{{instance}} has no view {{view}} that you may see',
    'see `vp views list --instance {{instance}}`; it was deleted, or is a personal view of someone else',
  ),
  VIEW_NAME_TAKEN: conflict(
    '{{instance}} already has a view {{name}} of the page {{page}}',
    'choose another name, or replace the filters of that view ({{view}})',
  ),
  VIEW_INVALID: invalid(
    'a view of the page {{page}} cannot be saved: {{problem}}',
    'give it a name and one of the filters {{filters}}',
  ),
  VIEW_LIMIT_REACHED: conflict(
    '{{instance}} has {{max}} {{kind}} views, which is the limit',
    'delete one that is not used: `vp views list --instance {{instance}}` lists them',
  ),
  VIEW_PERSON_NEEDED: withStatus(403)(
    'a personal view belongs to an account, and the owner key has none',
    'save it as a shared view, or sign in with an account',
  ),
  VIEW_AMBIGUOUS: conflict('several views of {{instance}} are called {{name}}', 'name one by its id: {{views}}'),
  VIEW_OF_OTHER_PAGE: conflict(
    'the view {{name}} has filters of the page {{page}}, not of {{expected}}',
    'name a view of {{expected}}: `vp views list --instance {{instance}}` lists them',
  ),
} as const;
