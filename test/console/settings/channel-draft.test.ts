import t from 'tap';
import { createChannelDraft, toChangeRequest } from '../../../src/console/settings/notifications/channel-draft.ts';
import type { NotificationChannel } from '../../../src/contract/notifications-api.ts';

t.test('the conditions of a channel stay as they are when its form is saved unchanged', async (t) => {
  const routing = { instances: ['shop', 'app'], tags: ['smoke', 'slow'], owners: ['checkout team', 'Doe, Ana'] };
  const channel: NotificationChannel = {
    ...{ channel: 'ops', kind: 'slack', destination: 'https://hooks.example', routing, pending: 0, failed: 0 },
    ...{ unknown_instances: [], unknown_tags: [], unknown_owners: [] },
    ...{ created_at: '2026-11-20T14:30:12.345Z', created_by: 'ana' },
    ...{ updated_at: '2026-11-20T14:30:12.345Z', updated_by: 'ana' },
  };
  const draft = createChannelDraft(channel);
  t.same(toChangeRequest(draft), routing);
  t.same(toChangeRequest({ ...draft, owners: ' search \n\n' }).owners, ['search']);
  t.notOk('owners' in toChangeRequest({ ...draft, owners: '' }));
});
