import { type SubmitEvent, useState } from 'react';
import { type NotificationEvent, notificationEvents } from '../../../contract/notification-names.ts';
import type { NotificationChannel } from '../../../contract/notifications-api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { DialogActions } from '../../components/dialog-actions.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { TextAreaField } from '../../components/text-area-field.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { type ChannelDraft, createChannelDraft, toChangeRequest, toCreateRequest } from './channel-draft.ts';
import { eventLabels, kindOptions } from './channel-text.ts';
import { TargetFields } from './target-fields.tsx';
import { useChangeChannels } from './use-notifications.ts';

type ChannelDialogProps = {
  /** Undefined for a new one. */
  readonly channel?: NotificationChannel;
  readonly onClose: () => void;
};

export function ChannelDialog({ channel, onClose }: ChannelDialogProps) {
  const change = useChangeChannels();
  const [draft, setDraft] = useState(() => createChannelDraft(channel));
  const update = (part: Partial<ChannelDraft>): void => setDraft({ ...draft, ...part });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const action = channel
      ? ({ kind: 'change', channel: channel.channel, input: toChangeRequest(draft) } as const)
      : ({ kind: 'create', input: toCreateRequest(draft) } as const);
    change.mutate(action, { onSuccess: (secret) => (secret === undefined ? onClose() : undefined) });
  };
  if (change.data !== undefined)
    return (
      <SecretDialog
        title={`Secret of ${draft.id}`}
        secret={change.data}
        hint="It signs the messages, so that the receiver knows that they are from here (Standard Webhooks)."
        onClose={onClose}
      />
    );
  return (
    <Dialog title={channel ? `Edit ${channel.channel}` : 'Add channel'} onClose={onClose}>
      <form onSubmit={submit}>
        {channel ? null : (
          <>
            <Field
              label="Name"
              hint="Lowercase letters, digits and hyphens."
              data-first
              required
              pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
              maxLength={60}
              autoComplete="off"
              placeholder="team"
              value={draft.id}
              onChange={({ target }) => update({ id: target.value })}
            />
            <Select label="Kind" value={draft.kind} options={kindOptions} onSelect={(kind) => update({ kind })} />
          </>
        )}
        <TargetFields draft={draft} destination={channel?.destination} update={update} />
        <EventFields events={draft.events} onChange={(events) => update({ events })} />
        <RoutingFields draft={draft} update={update} />
        {change.error ? <ErrorNotice error={change.error} /> : null}
        <DialogActions
          onClose={onClose}
          isPending={change.isPending}
          pendingLabel="Saving…"
          isDisabled={draft.events.length === 0}
        >
          {channel ? 'Save' : 'Add channel'}
        </DialogActions>
      </form>
    </Dialog>
  );
}

type EventFieldsProps = {
  readonly events: readonly NotificationEvent[];
  readonly onChange: (events: readonly NotificationEvent[]) => void;
};

function EventFields({ events, onChange }: EventFieldsProps) {
  return (
    <fieldset className="group commands">
      <legend>Changes</legend>
      {notificationEvents.map((event) => (
        <label key={event}>
          <input
            type="checkbox"
            checked={events.includes(event)}
            onChange={({ target }) =>
              onChange(notificationEvents.filter((name) => (name === event ? target.checked : events.includes(name))))
            }
          />{' '}
          {eventLabels[event]}
        </label>
      ))}
    </fieldset>
  );
}

type DraftProps = { readonly draft: ChannelDraft; readonly update: (part: Partial<ChannelDraft>) => void };

function RoutingFields({ draft, update }: DraftProps) {
  return (
    <>
      <Field
        label="Environments"
        hint="Without any, changes of all environments are sent."
        autoComplete="off"
        value={draft.instances}
        onChange={({ target }) => update({ instances: target.value })}
      />
      <Field
        label="Tags"
        hint="Scenarios with one of these tags; without any, every scenario."
        autoComplete="off"
        value={draft.tags}
        onChange={({ target }) => update({ tags: target.value })}
      />
      <TextAreaField
        label="Owners"
        hint="Scenarios of one of these owners, one on a line; without any, every scenario."
        rows={[2, 8]}
        value={draft.owners}
        onTextChange={(owners) => update({ owners })}
      />
      <Field
        label="Digest in minutes"
        hint="Changes are collected for that long. Empty: each is sent at once."
        type="number"
        min={1}
        max={1440}
        value={draft.digest}
        onChange={({ target }) => update({ digest: target.value })}
      />
      <Field
        label="Quiet from"
        type="time"
        required={draft.quietTo !== ''}
        value={draft.quietFrom}
        onChange={({ target }) => update({ quietFrom: target.value })}
      />
      <Field
        label="Quiet until"
        hint="What changes in this time is sent at its end."
        type="time"
        required={draft.quietFrom !== ''}
        value={draft.quietTo}
        onChange={({ target }) => update({ quietTo: target.value })}
      />
      {draft.quietFrom === '' ? null : (
        <Field
          label="Time zone"
          required
          autoComplete="off"
          value={draft.timeZone}
          onChange={({ target }) => update({ timeZone: target.value })}
        />
      )}
    </>
  );
}
