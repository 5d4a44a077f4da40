import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Hub, ToolListMode } from '../../contract/hubs/hubs-api.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Select } from '../components/select.tsx';
import { useClient } from '../session/client.ts';
import { RenameHub } from './rename-hub.tsx';
import { useInvalidatingMutation } from './use-invalidating-mutation.ts';

export function GeneralSettingsPage({ hub }: { hub: Hub }) {
  return (
    <>
      <p className="faint">
        Created by {hub.created_by} <RelativeTime timestamp={hub.created_at} />. Your role: {hub.role}.
      </p>
      {hub.role === 'owner' ? (
        <>
          <RenameHub hub={hub} />
          <ToolListChoice hub={hub} />
          <RemoveHub hub={hub} />
        </>
      ) : (
        <p className="faint">Only owners of the hub can change or remove it.</p>
      )}
    </>
  );
}

const toolListChoices = [
  ['all', 'all tools'],
  ['search', 'a search for tools'],
] as const;

function ToolListChoice({ hub }: { hub: Hub }) {
  const { hubs } = useClient();
  const change = useInvalidatingMutation('hubs', (toolList: ToolListMode) =>
    hubs.update(hub.slug, { tool_list: toolList, if_settings: { tool_list: hub.tool_list } }),
  );
  const selected = change.isPending ? change.variables : hub.tool_list;
  return (
    <section aria-labelledby="tool-list">
      <h2 id="tool-list">Tools</h2>
      <Select label="Clients list" value={selected} options={toolListChoices} onSelect={change.mutate} />
      <p className="faint">
        With search, clients list only the tools that find, describe and call the others. Choose it for a hub with more
        tools than a model can read. A token can differ from its hub.
      </p>
      {change.error ? <ErrorNotice error={change.error} /> : null}
      {change.isSuccess ? <p role="status">Saved. Connected clients are notified.</p> : null}
    </section>
  );
}

function RemoveHub({ hub: { slug } }: { hub: Hub }) {
  const { hubs } = useClient();
  const [, navigate] = useLocation();
  const [isConfirming, setIsConfirming] = useState(false);
  const remove = useInvalidatingMutation(
    'hubs',
    () => hubs.remove(slug),
    () => navigate('/hubs'),
  );
  return (
    <section aria-labelledby="remove">
      <h2 id="remove">Remove this hub</h2>
      <p className="actions">
        <button type="button" className="destructive" onClick={() => setIsConfirming(true)}>
          Remove…
        </button>
      </p>
      {remove.error ? <ErrorNotice error={remove.error} /> : null}
      {isConfirming ? (
        <ConfirmDialog
          title={`Remove ${slug}`}
          consequence="Its connections with their credentials, its memberships and all its tokens are deleted. The slug cannot be used again."
          confirmationText={slug}
          confirmLabel="Remove"
          isPending={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onSettled: () => setIsConfirming(false) })}
          onClose={() => setIsConfirming(false)}
        />
      ) : null}
    </section>
  );
}
